"""What a forked child does: one request, its answer, an exit code."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from scistudio.blocks.base.execution import ExecutionContext, enter
from scistudio.worker import failures, protocol
from scistudio.worker.execution import Execution
from scistudio.worker.host import Host


def run_child(sock: socket.socket, request: Mapping[str, Any]) -> int:
    """Run the block (or the probe) of ``request`` and answer on ``sock``. The caller ends the process with the code.

    Returns
    -------
    0 after a result, 1 after an error.
    """
    host = Host(sock)
    host.send({"type": "started"})
    answer = _probe(request, host) if request.get("kind") == "probe" else _execute(request, host)
    flush_output()
    try:
        host.send(answer)
    except (ValueError, TypeError, protocol.ProtocolError) as error:  # an answer that is no JSON, or too long
        host.send(failures.describe(error, "outputs", request))
        return 1
    return 1 if answer["type"] == "error" else 0


def _execute(request: Mapping[str, Any], host: Host) -> dict[str, Any]:
    execution = Execution(request, host)
    try:
        return execution.answer()
    except BaseException as error:  # the end of the process: whatever a block raises, even SystemExit, is told to the host
        return failures.describe(error, execution.stage, request)
    finally:
        execution.tidy()


def _probe(request: Mapping[str, Any], host: Host) -> dict[str, Any]:
    from scistudio.worker import probe

    # Each file is told at once, not when it suits: it may be the last that this process does.
    told = ExecutionContext(report=lambda _, message: host.send({"type": "progress", "fraction": None, "message": message}))
    enter(told)
    try:
        return probe.catalog(request)
    except BaseException as error:  # as above
        return failures.describe(error, "import", request)


def flush_output() -> None:
    """Write what Python and C libraries still hold: the process ends without its usual farewell."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    libc = _libc()
    if libc is not None:
        libc.fflush(None)


@cache
def _libc() -> Any:
    """Return the C library of this process, where it can be called."""
    import ctypes

    with contextlib.suppress(OSError):
        return ctypes.CDLL(None)
    return None

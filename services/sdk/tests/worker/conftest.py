from __future__ import annotations

import array
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scistudio.worker import protocol

BLOCKS = Path(__file__).with_name("sample_blocks.py")


@dataclass
class Answer:
    """What one forked child did."""

    messages: list[dict[str, Any]]
    exit_code: int
    log: str
    seconds: float

    @property
    def last(self) -> dict[str, Any]:
        return self.messages[-1]


class Parent:
    """Drives the warm parent of the tests."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        # As a host starts it: with buffers, whatever the tests themselves were started with.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_parent.py")), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
        )
        theirs.close()
        self._control.settimeout(60)
        ready = protocol.receive(self._control) or {}
        self.n_tasks, self.modules = ready["n_tasks"], set(ready["modules"])

    def close(self) -> None:
        self._control.close()
        self._process.wait(20)

    def run(self, request: dict[str, Any], *, cancel_at: str | None = None) -> Answer:
        """Fork a child for ``request``; with ``cancel_at``, send the word to stop at the progress message of that text."""
        ours, theirs = socket.socketpair()
        ours.settimeout(60)
        with tempfile.TemporaryFile() as output, ours:
            started = time.perf_counter()
            socket.send_fds(self._control, [b"r"], array.array("i", [theirs.fileno(), output.fileno()]).tolist())
            theirs.close()
            protocol.send(ours, request)
            messages = []
            with contextlib.suppress(ConnectionError):
                while (message := protocol.receive(ours)) is not None:
                    messages.append(message)
                    if cancel_at is not None and message.get("message") == cancel_at:
                        protocol.send(ours, {"type": "cancel"})
            code = int(self._control.recv(16))
            seconds = time.perf_counter() - started
            output.seek(0)
            return Answer(messages, code, output.read().decode(errors="replace"), seconds)


@pytest.fixture(scope="session")
def parent() -> Iterator[Parent]:
    """One warm parent for all tests of this folder."""
    running = Parent()
    yield running
    running.close()


@pytest.fixture
def request_for(tmp_path: Path) -> Any:
    """Build a request for a class of ``sample_blocks.py``."""

    def build(name: str, inputs: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
        return {
            "kind": "execute",
            "execution_id": "e1",
            "block_class": name,
            "block_file_path": str(BLOCKS),
            "runtime_import_roots": [],
            "inputs": inputs or {},
            "config": config,
            "output_dir": str(tmp_path / "data" / "zarr" / "wf" / "node"),
            "project_dir": str(tmp_path),
            "workflow_id": "wf",
            "run_id": "r1",
            "node_id": "n1",
            "seed": 7,
            "cpu_cores": 1,
        }

    return build

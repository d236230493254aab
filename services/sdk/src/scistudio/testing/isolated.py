"""Running a block as a workflow does: in a process of its own, with stored inputs and outputs."""

from __future__ import annotations

import importlib.util
import inspect
import socket
import subprocess
import sys
import tempfile
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scistudio.core.storage.backend_router import get_router
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection
from scistudio.core.types.serialization import reconstruct_value, serialise_value
from scistudio.worker import protocol


class BlockFailedError(Exception):
    """The block ended with an error; the attributes are what a workflow would show."""

    def __init__(self, code: str, message: str, *, hint: str = "", traceback: str = "") -> None:
        super().__init__(f"{message} ({code})" + (f"\n{traceback}" if traceback else ""))
        self.code, self.message, self.hint, self.traceback = code, message, hint, traceback


@dataclass
class WorkerRun:
    """What a run in a worker gave."""

    outputs: dict[str, Any]
    log: str
    is_cancelled: bool = False
    progress: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)


def run_in_worker(
    block_class: type[Any],
    inputs: dict[str, Any] | None = None,
    params: dict[str, Any] | None = None,
    *,
    work_dir: Path | None = None,
    timeout_s: float = 60.0,
) -> WorkerRun:
    """Run ``block_class`` in a fresh worker process.

    Parameters
    ----------
    inputs
        Data objects, lists of them or Collections by port. They are written to ``work_dir`` first, as between blocks.
    params
        The node's configuration.
    work_dir
        The block's working directory, by default a temporary one that is kept: outputs refer to files in it.

    Raises
    ------
    BlockFailedError
        The block failed.
    """
    folder = Path(work_dir) if work_dir is not None else Path(tempfile.mkdtemp(prefix="scistudio-test-"))
    request = {
        "kind": "execute",
        "execution_id": uuid.uuid4().hex,
        "inputs": {port: serialise_value(_stored(value, folder / "inputs")) for port, value in (inputs or {}).items()},
        "config": {"params": params or {}},
        "output_dir": str(folder / "outputs"),
        "project_dir": str(folder),
        "node_id": "test",
        "seed": 0,
        **_location(block_class),
    }
    messages, log = _serve(request, timeout_s)
    last = messages[-1] if messages else {}
    if last.get("type") == "error":
        raise BlockFailedError(last["code"], last["message"], hint=last["hint"], traceback=last["traceback"])
    if last.get("type") != "result":
        raise BlockFailedError("worker.lost", "The worker ended without an answer.", traceback=log)
    return WorkerRun(
        outputs={port: reconstruct_value(wire) for port, wire in last.get("outputs", {}).items()},
        log=log,
        is_cancelled=last.get("final_state") == "cancelled",
        progress=[message for message in messages if message["type"] == "progress"],
        warnings=last.get("warnings", []),
        environment=last.get("environment", {}),
    )


def _location(block_class: type[Any]) -> dict[str, Any]:
    """Say how a fresh interpreter finds the class: by its module, else by its file."""
    module, file = block_class.__module__, inspect.getfile(block_class)
    spec = importlib.util.find_spec(module) if module != "__main__" else None
    if spec is not None and spec.origin == file:
        return {"block_class": f"{module}:{block_class.__qualname__}", "runtime_import_roots": [path for path in sys.path if path]}
    return {"block_class": block_class.__qualname__, "block_file_path": file, "runtime_import_roots": []}


def _stored(value: Any, folder: Path) -> Collection:
    """Return ``value`` as a Collection of stored objects."""
    items = [value] if isinstance(value, DataObject) else list(value)
    folder.mkdir(parents=True, exist_ok=True)
    for item in items:
        if item.storage_ref is None and not (isinstance(item, Artifact) and item.file_path is not None):
            item.save(folder / f"{uuid.uuid4().hex[:12]}{get_router().suffix_for(type(item))}")
    return value if isinstance(value, Collection) else Collection(items)


def _serve(request: dict[str, Any], timeout_s: float) -> tuple[list[dict[str, Any]], str]:
    """Start the worker, send the request and collect its messages and its output."""
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as output, ours:
        with theirs:
            worker = subprocess.Popen(
                [sys.executable, "-m", "scistudio.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        ours.settimeout(timeout_s)
        messages: list[dict[str, Any]] = []
        try:
            protocol.send(ours, request)
            while (message := protocol.receive(ours)) is not None:
                messages.append(message)
        except (TimeoutError, ConnectionError):
            worker.kill()
        worker.wait(timeout_s)
        output.seek(0)
        return messages, output.read().decode(errors="replace")

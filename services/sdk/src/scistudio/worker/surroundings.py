"""Where a block runs: folder, variables, import path, random numbers, threads, and what catches its warnings."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import random
import signal
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scistudio.blocks.base.exceptions import ExecutionCancelled
from scistudio.blocks.dropins import make_importable

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")
LOG_FORMAT = "%(levelname)s %(name)s: %(message)s"
MAX_WARNINGS = 100


def enter(request: Mapping[str, Any]) -> None:
    """Put this process where the request says it belongs."""
    project = str(request.get("project_dir") or "")
    if project:
        os.environ["SCISTUDIO_PROJECT_DIR"] = project
        os.chdir(project)
    make_importable(request.get("runtime_import_roots") or [])
    set_threads(max(1, int(request.get("cpu_cores") or 1)))
    prepare_output()
    # ``input()`` shall find nothing to wait for.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


@cache
def prepare_output() -> None:
    """Make lines appear at once, send log records to stderr, and let a crash in native code say where it was.

    Forked children inherit all of it: it is about the streams, not about what they lead to.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a replaced stream may not have it
    with contextlib.suppress(OSError, ValueError, AttributeError):
        faulthandler.enable()
    if not logging.root.handlers:
        logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)


def seed(value: int) -> None:
    """Seed the random generators that are loaded: forked processes would all draw the same numbers otherwise."""
    random.seed(value)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(value % 2**32)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(value % 2**63)


def set_threads(n_cores: int) -> None:
    """Let numeric libraries use ``n_cores``: those not loaded yet by variables (our subprocesses too), loaded ones directly."""
    for name in THREAD_VARIABLES:
        if os.environ.get(name) != str(n_cores):
            os.environ[name] = str(n_cores)
    if n_cores == 1:
        return  # what the parent was started with
    from threadpoolctl import threadpool_limits

    threadpool_limits(n_cores)
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        pyarrow.set_cpu_count(n_cores)


class Warnings:
    """Collects what is warned of, each text once; everything still appears in the log."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._show = warnings.showwarning

    def __enter__(self) -> Warnings:
        warnings.showwarning = self._note
        return self

    def __exit__(self, *_: object) -> None:
        warnings.showwarning = self._show

    def _note(self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        text = f"{category.__name__}: {message} ({Path(filename).name}:{lineno})"
        if text not in self.texts and len(self.texts) < MAX_WARNINGS:
            self.texts.append(text)
        self._show(message, category, filename, lineno, file, line)


@contextlib.contextmanager
def stoppable() -> Any:
    """Turn SIGTERM into an exception while a block runs, so that it can tidy up before it ends."""

    def stop(signum: int, frame: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends the process at once
        raise ExecutionCancelled

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""What a running block may ask about its own execution: report progress, poll for cancelling, scratch space, randomness.

Outside a worker (in a notebook, in a unit test) all of it works without effect on anything else.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass
class ExecutionContext:
    """One execution, in the process that runs it."""

    execution_id: str = ""
    seed: int | None = None
    scratch: Path | None = None
    report: Callable[[float | None, str], None] | None = None
    is_cancelled: Callable[[], bool] | None = None
    # Helpers that a block forks inherit the context; they must not speak for it.
    pid: int = field(default_factory=os.getpid)


_current = ExecutionContext()


def enter(context: ExecutionContext) -> None:
    """Make ``context`` the one of this process. A worker does so once, before it builds the block."""
    global _current
    _current = context


def current() -> ExecutionContext:
    """Return the context of this process; an empty one outside a worker."""
    return _current


def progress(fraction: float | None = None, message: str = "") -> None:
    """Tell the person how far the block is.

    Parameters
    ----------
    fraction
        From 0 to 1 (values beyond are clipped), or ``None`` when only the message is known. NaN, as of a division of nothing by
        nothing, counts as not known.
    message
        What the block is doing, in a few words.
    """
    if _current.report is not None and _current.pid == os.getpid():
        if fraction is not None:
            fraction = None if math.isnan(fraction) else min(max(float(fraction), 0.0), 1.0)
        _current.report(fraction, str(message))


def cancelled() -> bool:
    """Tell whether the execution was told to stop. Long loops poll it and return; what they return then is dropped."""
    return _current.is_cancelled is not None and _current.pid == os.getpid() and _current.is_cancelled()


def scratch_dir() -> Path:
    """Return a folder of this execution's own for temporary files. In a worker it is deleted when the execution ends."""
    if _current.scratch is None:
        _current.scratch = Path(tempfile.mkdtemp(prefix="scistudio-"))
    _current.scratch.mkdir(parents=True, exist_ok=True)
    return _current.scratch


def random_generator() -> np.random.Generator:
    """Return a generator seeded by the execution's recorded seed, so that a rerun draws the same numbers."""
    import numpy as np

    return np.random.default_rng(_current.seed)

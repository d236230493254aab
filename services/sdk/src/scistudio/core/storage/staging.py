"""Atomic writes: everything is made under a temporary name beside its place and renamed when it is whole.

A writer that is killed leaves at most such a temporary name, which no reference ever carries.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

_PARTIAL = re.compile(r"\..+\.[0-9a-f]{12}\.partial")


@contextmanager
def staged(path: str | Path) -> Iterator[Path]:
    """Give a temporary sibling of ``path``; what was made there takes its place, or nothing does if the block raises.

    The caller makes a file or a folder of it. An older file or folder at ``path`` is replaced.
    """
    target = Path(path)
    staging = stage(target)
    try:
        yield staging
        publish(staging, target)
    except BaseException:
        discard(staging)
        raise


def stage(target: Path) -> Path:
    """Return a new temporary name beside ``target``, whose folder is made if need be."""
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.parent / f".{target.name}.{uuid4().hex[:12]}.partial"


def publish(staging: Path, target: Path) -> None:
    """Give what was made under a temporary name its real one."""
    try:
        staging.replace(target)
    except OSError:
        if not target.exists():
            raise
        _swap(staging, target)


def discard(staging: Path) -> None:
    """Remove what was made under a temporary name."""
    if staging.is_dir():
        shutil.rmtree(staging, ignore_errors=True)
    else:
        staging.unlink(missing_ok=True)


def remove_partials(folder: str | Path) -> int:
    """Remove what killed writers left in ``folder`` and return how many it was. Only for a folder that nobody writes to."""
    left = [entry for entry in os.scandir(folder) if _PARTIAL.fullmatch(entry.name)] if Path(folder).is_dir() else []
    for entry in left:
        discard(Path(entry.path))
    return len(left)


def _swap(staging: Path, target: Path) -> None:
    """Replace a folder that is not empty, which a rename alone cannot."""
    old = stage(target)
    target.replace(old)
    staging.replace(target)
    discard(old)

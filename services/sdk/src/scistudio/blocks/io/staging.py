"""Writing a set of files so that all of them appear whole, or none."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Staging:
    """Files written beside their targets, moved into place together at the end."""

    def __init__(self) -> None:
        self._staged: list[tuple[Path, Path]] = []

    def path_for(self, target: Path) -> Path:
        """Return where to write what shall become ``target``. The name keeps its suffix: writers look at it."""
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f".{uuid.uuid4().hex[:12]}{''.join(target.suffixes)[-64:]}")
        self._staged.append((staged, target))
        return staged

    def commit(self) -> None:
        """Move everything into place, replacing what was there."""
        for staged, target in self._staged:
            _move(staged, target)
        self._staged.clear()

    def discard(self) -> None:
        """Delete what was written and not moved."""
        for staged, _ in self._staged:
            _remove(staged)
        self._staged.clear()


@contextmanager
def staging() -> Iterator[Staging]:
    """Commit at the end, discard when something raises."""
    files = Staging()
    try:
        yield files
        files.commit()
    finally:
        files.discard()


def _move(staged: Path, target: Path) -> None:
    """Replace ``target``; a folder cannot be replaced in one step, so the old one steps aside first."""
    if not target.is_dir() or target.is_symlink():
        staged.replace(target)
        return
    aside = target.with_name(f".{uuid.uuid4().hex[:12]}.old")
    target.rename(aside)
    staged.rename(target)
    _remove(aside)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

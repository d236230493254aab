"""The directory that objects of this process are written to when they leave a block.

One for the whole process, since a worker runs one block. With none set nothing is flushed and objects stay in memory.
"""

from __future__ import annotations

from pathlib import Path

_output_dir: str | None = None


def set_output_dir(path: str | Path) -> None:
    """Make ``path`` the directory for everything flushed from now on."""
    global _output_dir
    _output_dir = str(path)


def get_output_dir() -> str | None:
    """Return the directory set, or ``None``."""
    return _output_dir


def clear() -> None:
    """Flush nothing any more."""
    global _output_dir
    _output_dir = None

"""Entry points of installed packages, read once: reading the metadata of a few hundred distributions takes a tenth of a second."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

PREFIX = "scistudio."


def installed(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of one of our groups, by name. What is installed or removed later is noticed."""
    return _by_group(_fingerprint()).get(group, ())


def _fingerprint() -> tuple[tuple[str, int], ...]:
    """Return the folders that packages are installed in, and when each last changed."""
    folders = [Path(entry or ".") for entry in sys.path]
    return tuple((str(folder), folder.stat().st_mtime_ns) for folder in folders if folder.is_dir())


@lru_cache(maxsize=1)
def _by_group(fingerprint: tuple[tuple[str, int], ...]) -> dict[str, tuple[EntryPoint, ...]]:
    found = entry_points()
    ours = [group for group in found.groups if group.startswith(PREFIX)]
    return {group: tuple(sorted(found.select(group=group), key=lambda entry: (entry.name, entry.value))) for group in ours}

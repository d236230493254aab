"""Entry points of installed packages, read once: reading the metadata of a few hundred distributions takes a tenth of a second."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

PREFIX = "scistudio."


def installed(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of one of our groups, by name. What is installed or removed later is noticed."""
    folders = _metadata_folders(tuple(sys.path))
    return _by_group(tuple((str(folder), folder.stat().st_mtime_ns) for folder in folders)).get(group, ())


@lru_cache(maxsize=4)
def _metadata_folders(path: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders on the path that packages are installed in: only a change in one of them can change what is installed."""
    folders = [Path(entry or ".") for entry in path]
    return tuple(folder for folder in folders if next(folder.glob("*.dist-info"), None) or next(folder.glob("*.egg-info"), None))


@lru_cache(maxsize=1)
def _by_group(changes: tuple[tuple[str, int], ...]) -> dict[str, tuple[EntryPoint, ...]]:
    found = entry_points()
    ours = [group for group in found.groups if group.startswith(PREFIX)]
    return {group: tuple(sorted(found.select(group=group), key=lambda entry: (entry.name, entry.value))) for group in ours}

"""Where Save writes, and under which names; decided before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from scistudio.blocks.base.items import display_name


@dataclass(frozen=True)
class Destination:
    """What a node says about where to write: ``path`` (a file or a folder) and ``filename``."""

    path: str
    filename: str = ""

    def is_folder(self, n_items: int, extension: str = "") -> bool:
        """Tell whether ``path`` is a folder to write into.

        It is when it exists as one, ends with a slash, or has no suffix but a ``filename`` or several items to hold. A
        folder that is itself the format, like a Zarr, is not.
        """
        if self.path.endswith(("/", "\\")):
            return True
        path = Path(self.path)
        if extension and path.name.lower().endswith(extension):
            return False
        return path.is_dir() or (not path.suffix and (bool(self.filename) or n_items > 1))

    def telling_name(self, n_items: int) -> str | None:
        """Return the name whose suffix says the format, where there is one."""
        return (self.filename or None) if self.is_folder(n_items) and not _has_known_folder_suffix(self.path) else Path(self.path).name

    def targets(self, items: Sequence[Any], extension: str) -> list[Path]:
        """Return one file for each item, all distinct.

        Parameters
        ----------
        extension
            Of the chosen format; empty keeps that of each item's own file.
        """
        path, n_items = Path(self.path), len(items)
        if not self.is_folder(n_items, extension):
            name = path.name if path.suffix else path.name + (extension or PurePath(_source_name(items[0])).suffix)
            return [path.with_name(name)] if n_items == 1 else _numbered(path.parent, name, extension, n_items)
        if self.filename and n_items == 1:
            return [path / _with_extension(self.filename, extension)]
        if self.filename:
            return _numbered(path, self.filename, extension, n_items)
        return [path / name for name in _distinct([_with_extension(_source_name(item), extension) for item in items])]


def _has_known_folder_suffix(path: str) -> bool:
    return Path(path).suffix.lower() == ".zarr"


def _source_name(item: Any) -> str:
    """Return the base name of the file that an item comes from."""
    path = getattr(item, "file_path", None) or item.framework.source
    name = PurePath(str(path).replace("\\", "/")).name if path else display_name(item)
    if not name:
        raise ValueError(
            "SaveData cannot infer an output filename: the data does not come from a file, so it cannot name collection items. "
            "Set 'filename', or a path with an extension."
        )
    return name


def _with_extension(name: str, extension: str) -> str:
    """Replace the name's last suffix; the format's own compound suffix is taken off whole."""
    bare = PurePath(name).name
    if not extension:
        return bare
    stem = bare[: -len(extension)] if bare.lower().endswith(extension) else PurePath(bare).stem
    return stem + extension


def _numbered(folder: Path, name: str, extension: str, n_items: int) -> list[Path]:
    full = _with_extension(name, extension)
    suffix = full[-len(extension) :] if extension else PurePath(full).suffix
    stem = full[: len(full) - len(suffix)]
    return [folder / f"{stem}-{number}{suffix}" for number in range(1, n_items + 1)]


def _distinct(names: list[str]) -> list[str]:
    """Tell equal names apart: ``in.csv``, ``in-2.csv``. Case does not distinguish: some file systems ignore it."""
    taken: set[str] = set()
    distinct = []
    for name in names:
        stem, suffix = PurePath(name).stem, PurePath(name).suffix
        candidate, number = name, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{stem}-{number}{suffix}"
        taken.add(candidate.lower())
        distinct.append(candidate)
    return distinct

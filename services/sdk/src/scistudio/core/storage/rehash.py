"""Hashes of what is stored already: data referenced where it lies, data that others wrote, and data that may be damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scistudio.core.storage import content_hash
from scistudio.core.storage.chunking import chunk_box, grid_indices
from scistudio.core.storage.errors import reading
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.staging import staged

__all__ = ["hash_stored"]


def hash_stored(ref: StorageReference, cache_dir: str | Path | None = None) -> str | None:
    """Read what a reference points to, once, and return the hash of its content.

    It is the hash that the writer put into the reference: another one means that the data changed since.

    Parameters
    ----------
    ref
        Where to read.
    cache_dir
        Folder that remembers hashes by size, time of change and inode of every file; without one nothing is remembered.

    Returns
    -------
    str or None
        ``None`` for a composite with a slot that has no hash, such as a folder lying in place.

    Raises
    ------
    StorageReferenceInvalidError
        If it cannot be read.
    """
    if cache_dir is None:
        return _hash(ref)
    remembered = Path(cache_dir) / f"{content_hash.digest(f'{ref.backend}:{Path(ref.path).absolute()}'.encode()).hex()}.json"
    with reading(ref, "read"):
        stamp = _stamp(Path(ref.path))
    known = _remembered(remembered)
    if known.get("stamp") == stamp:
        remembered_hash: str | None = known["hash"]
        return remembered_hash
    found = _hash(ref)
    with staged(remembered) as staging:
        staging.write_text(json.dumps({"stamp": stamp, "hash": found}))
    return found


def _hash(ref: StorageReference) -> str | None:
    if ref.backend == "zarr":
        return _hash_array(ref)
    if ref.backend == "arrow":
        return _hash_table(ref)
    if ref.backend == "composite":
        return _hash_slots(ref)
    return None if Path(ref.path).is_dir() else _hash_file(ref)


def _hash_array(ref: StorageReference) -> str:
    from scistudio.core.storage.array_store import open_store

    with reading(ref, "read", ValueError, KeyError, TypeError):
        store = open_store(Path(ref.path))
        layout = store.layout
        boxes = (chunk_box(index, layout.shape, layout.chunk_shape) for index in grid_indices(layout.shape, layout.chunk_shape))
        digests = (content_hash.chunk_digest(store.read(box)) for box in boxes)
        return content_hash.of_array(layout.shape, layout.dtype, layout.axes, layout.chunk_shape, digests)


def _hash_table(ref: StorageReference) -> str:
    from scistudio.core.storage.arrow_backend import ArrowBackend
    from scistudio.core.storage.table_digest import column_digest

    backend = ArrowBackend()
    empty = backend.read_rows(ref, 0, 0)
    n_rows = backend.get_metadata(ref)["num_rows"]

    def digests() -> Iterator[bytes]:
        for start in range(0, n_rows, content_hash.ROWS_PER_BLOCK):
            block = backend.read_rows(ref, start, start + content_hash.ROWS_PER_BLOCK)
            yield from (column_digest(column) for column in block.columns)

    return content_hash.of_table(empty.schema, n_rows, digests())


def _hash_file(ref: StorageReference) -> str:
    from scistudio.core.storage.filesystem import FilesystemBackend

    return content_hash.of_bytes(FilesystemBackend().read_bytes(ref))


def _hash_slots(ref: StorageReference) -> str | None:
    from scistudio.core.storage.composite_store import CompositeStore

    return content_hash.of_slots({name: _hash(slot) for name, slot in CompositeStore().slot_refs(ref).items()})


def _stamp(path: Path) -> list[list[Any]]:
    """Return what tells an unchanged file, or folder of files, from a changed one."""
    files = [path] if path.is_file() else sorted(Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    stats = [(file, file.stat()) for file in files]
    if not files:
        path.stat()
    return [[str(file.relative_to(path)), stat.st_size, stat.st_mtime_ns, stat.st_ino] for file, stat in stats]


def _remembered(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}

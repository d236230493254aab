"""What an array on disk looks like to its readers and writers, and the two ways to it.

A plain store (regular chunks, little-endian numbers, zstd, no shards) is read and written directly: a small array then costs
neither an event loop nor a thread, and a fresh process is done in a few milliseconds. Everything else goes through zarr-python.
Both are ordinary Zarr v3, and either reads what the other wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scistudio.core.storage.chunking import Box, choose_chunks, choose_shards

if TYPE_CHECKING:
    import numpy as np

COMPRESSION_LEVEL = 1
# Attribute of our own: every chunk was written, so one that is not there is a loss and not an implicit zero.
COMPLETE = {"chunks": "complete"}
ATTRIBUTE = "scistudio"


@dataclass(frozen=True)
class ArrayLayout:
    """Shape and cut of a stored array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk_shape: tuple[int, ...]
    shard_shape: tuple[int, ...] | None = None
    axes: tuple[str, ...] | None = None

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Shape of what one file holds, and one writer writes at a time: a shard, or a chunk."""
        return self.shard_shape or self.chunk_shape

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes that say how to read the numbers."""
        return {} if self.axes is None else {"axes": list(self.axes)}


def plan_layout(
    shape: Sequence[int], dtype: Any, *, axes: Sequence[str] | None = None, chunk_shape: Sequence[int] | None = None
) -> ArrayLayout:
    """Decide how an array is stored.

    Raises
    ------
    TypeError
        If the elements are Python objects.
    ValueError
        If ``chunk_shape`` or ``axes`` do not fit the shape.
    """
    import numpy as np

    stored = np.dtype(dtype).newbyteorder("<")
    if stored.hasobject:
        raise TypeError("An array of Python objects cannot be stored: convert it to numbers, or to fixed-width text with astype(str).")
    size = tuple(int(extent) for extent in shape)
    if axes is not None and len(axes) != len(size):
        raise ValueError(f"The array has {len(size)} dimensions {size} but {len(axes)} axes {list(axes)}.")
    chunks = choose_chunks(size, stored.itemsize, axes) if chunk_shape is None else _checked_chunks(chunk_shape, size)
    shards = choose_shards(size, chunks, stored.itemsize)
    return ArrayLayout(size, stored, chunks, shards, None if axes is None else tuple(axes))


def _checked_chunks(chunk_shape: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(chunk_shape) != len(shape) or any(extent < 1 for extent in chunk_shape):
        raise ValueError(f"chunk_shape {tuple(chunk_shape)} does not fit the shape {shape}: one positive number an axis is needed.")
    return tuple(max(1, min(int(chunk), extent)) for chunk, extent in zip(chunk_shape, shape, strict=True))


class ArrayStore(Protocol):
    """An array on disk."""

    layout: ArrayLayout

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Return a copy of a part; only the chunks it touches are read."""
        ...

    def write_unit(self, index: tuple[int, ...], values: np.ndarray[Any, Any]) -> None:
        """Write all values of one unit (cut at the array's edge)."""
        ...

    def has_unit(self, index: tuple[int, ...]) -> bool:
        """Say whether a unit was written."""
        ...

    def finish(self, *, complete: bool) -> None:
        """Make the store readable; ``complete`` says that every unit was written."""
        ...


def create_store(path: Path, layout: ArrayLayout) -> ArrayStore:
    """Make an empty store in a new folder."""
    from scistudio.core.storage import library_store, plain_store

    if layout.shard_shape is None and plain_store.holds(layout.dtype):
        return plain_store.PlainStore.create(path, layout)
    return library_store.LibraryStore.create(path, layout)


def open_store(path: Path) -> ArrayStore:
    """Open a stored array, ours or anybody's.

    Raises
    ------
    FileNotFoundError
        If there is nothing.
    ValueError
        If it is no Zarr array, or its metadata is damaged.
    """
    from scistudio.core.storage import library_store, plain_store

    return plain_store.PlainStore.open(path) or library_store.LibraryStore.open(path)


def unit_path(path: Path, index: tuple[int, ...], separator: str = "/") -> Path:
    """Return the file of a unit."""
    return path / separator.join(["c", *map(str, index)])


def known_axes(names: Any, ndim: int) -> tuple[str, ...] | None:
    """Return the names of axes from a store's metadata, or ``None`` where they do not name every axis."""
    fits = isinstance(names, list) and len(names) == ndim and ndim > 0 and all(isinstance(name, str) for name in names)
    return tuple(names) if fits else None

"""Arrays in Zarr v3 stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistudio.core.storage.array_store import ArrayStore, open_store
from scistudio.core.storage.array_writer import ArrayWriter
from scistudio.core.storage.chunking import Box
from scistudio.core.storage.errors import reading
from scistudio.core.storage.indexing import bounding_box, picks_whole
from scistudio.core.storage.ref import StorageReference

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ZarrBackend"]


class ZarrBackend:
    """One Zarr store an array."""

    def write(self, data: Any, ref: StorageReference) -> StorageReference:
        """Write an array, or anything sliceable with ``shape`` and ``dtype`` (read part by part).

        ``ref.metadata`` may carry ``axes`` and ``chunk_shape``. The reference gets ``shape``, ``dtype`` and ``content_hash``.

        Raises
        ------
        TypeError
            If the elements are Python objects.
        """
        import numpy as np

        lazy = not isinstance(data, np.ndarray) and all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__"))
        source = data if lazy else np.asarray(data)
        with _writer(ref, source.shape, source.dtype) as writer:
            writer.write_all(source)
        return writer.reference

    def write_pieces(self, data_or_pieces: Any, shape: Sequence[int], dtype: Any, ref: StorageReference) -> StorageReference:
        """Write a whole array, or pieces ``(index, values)`` as they come; the array is never in memory as a whole."""
        if hasattr(data_or_pieces, "shape"):
            if tuple(data_or_pieces.shape) != tuple(shape):
                raise ValueError(f"The array has shape {tuple(data_or_pieces.shape)}, but {tuple(shape)} was announced.")
            return self.write(data_or_pieces.astype(dtype, copy=False), ref)
        with _writer(ref, shape, dtype) as writer:
            writer.write_pieces(data_or_pieces)
        return writer.reference

    def read(self, ref: StorageReference) -> np.ndarray[Any, Any]:
        """Return the whole array."""
        store = _opened(ref, "read")
        return _read(store, ref, "read", tuple(slice(0, size) for size in store.layout.shape))

    def slice(self, ref: StorageReference, *args: Any) -> np.ndarray[Any, Any]:
        """Return what a numpy index expression picks; only the chunks around it are read.

        Raises
        ------
        IndexError
            If an index is out of bounds.
        """
        store = _opened(ref, "slice")
        box, rest = bounding_box(args[0] if len(args) == 1 else args, store.layout.shape)
        region = _read(store, ref, "slice", box)
        return region if len(rest) == len(box) and picks_whole(rest, box) else region[rest].copy()

    def iter_chunks(self, ref: StorageReference, chunk_size: int) -> Iterator[np.ndarray[Any, Any]]:
        """Yield slabs of ``chunk_size`` along the first axis."""
        store = _opened(ref, "iter_chunks")
        if not store.layout.shape:
            yield _read(store, ref, "iter_chunks", ())
            return
        first, *others = store.layout.shape
        rest = tuple(slice(0, size) for size in others)
        for start in range(0, first, chunk_size):
            yield _read(store, ref, "iter_chunks", (slice(start, min(start + chunk_size, first)), *rest))

    def get_metadata(self, ref: StorageReference) -> dict[str, Any]:
        """Return shape, element type, chunks, number of dimensions, and axes where they are named."""
        layout = _opened(ref, "get_metadata").layout
        metadata: dict[str, Any] = {
            "shape": tuple(layout.shape),
            "dtype": str(layout.dtype.newbyteorder("=")),
            "chunks": tuple(layout.chunk_shape),
            "ndim": len(layout.shape),
        }
        return metadata if layout.axes is None else {**metadata, "axes": list(layout.axes)}


def _writer(ref: StorageReference, shape: Sequence[int], dtype: Any) -> ArrayWriter:
    hints = ref.metadata or {}
    return ArrayWriter(ref.path, shape, dtype, axes=hints.get("axes"), chunk_shape=hints.get("chunk_shape"))


def _opened(ref: StorageReference, operation: str) -> ArrayStore:
    with reading(ref, operation, ValueError, KeyError, TypeError):
        return open_store(Path(ref.path))


def _read(store: ArrayStore, ref: StorageReference, operation: str, box: Box) -> np.ndarray[Any, Any]:
    with reading(ref, operation, ValueError):
        return store.read(box)

"""Writing an array piece by piece, from several threads and processes."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scistudio.core.storage import content_hash
from scistudio.core.storage.array_store import create_store, plan_layout
from scistudio.core.storage.chunking import (
    Box,
    box_shape,
    chunk_box,
    chunks_touched,
    grid_indices,
    intersection,
    within,
)
from scistudio.core.storage.gathered_units import GatheredUnits
from scistudio.core.storage.indexing import as_box
from scistudio.core.storage.parallel import for_each
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.staging import discard, publish, stage
from scistudio.stability import provisional

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ArrayWriter"]

_LOCKS = ".locks"
_FOREIGN = "written-elsewhere"


@provisional(since="0.4.0")
class ArrayWriter:
    """Write a Zarr array that never is in memory as a whole. Use it as a context manager; the array exists once it is whole.

    Threads, and processes that a writer is sent to, may write at the same time: a chunk or shard is locked while a part of it
    changes. Pieces that are whole units (:attr:`unit_shape`) are written without reading anything back.

    Parameters
    ----------
    path
        Where the array goes.
    shape, dtype
        Of the whole array. What is never written reads as zero.
    axes, chunk_shape
        Names of the axes, and the cut; chosen from shape, type and axes when not given.

    Examples
    --------
    >>> with ArrayWriter("stack.zarr", (100, 2048, 2048), "uint16", axes=["t", "y", "x"]) as writer:   # doctest: +SKIP
    ...     for t, frame in enumerate(camera):
    ...         writer[t] = frame
    """

    def __init__(
        self,
        path: str | Path,
        shape: Sequence[int],
        dtype: Any,
        *,
        axes: Sequence[str] | None = None,
        chunk_shape: Sequence[int] | None = None,
    ) -> None:
        self._ref = StorageReference("zarr", str(path))
        self.layout = plan_layout(shape, dtype, axes=axes, chunk_shape=chunk_shape)
        self._staging = stage(Path(self._ref.path))
        try:
            self._store = create_store(self._staging, self.layout)
        except BaseException:
            discard(self._staging)
            raise
        self._owner = os.getpid()
        self._digests: dict[tuple[int, ...], bytes] = {}
        self._written: StorageReference | None = None

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Shape of what one file holds: pieces aligned to it are the fastest."""
        return self.layout.unit_shape

    @property
    def reference(self) -> StorageReference:
        """The reference of the finished array.

        Raises
        ------
        ValueError
            If the writer is not closed, or failed.
        """
        if self._written is None:
            raise ValueError(f"The array {self._ref.path} is not finished: leave the `with` block first.")
        return self._written

    def __setitem__(self, index: Any, values: Any) -> None:
        if os.getpid() != self._owner:
            self._note_foreign_writer()
        for unit, whole, part, part_values in self.parts(index, values):
            self.write_part(unit, whole, part, part_values)

    def parts(self, index: Any, values: Any) -> Iterator[tuple[tuple[int, ...], Box, Box, np.ndarray[Any, Any]]]:
        """Yield what each unit gets of a piece: the unit, its box, the part of it, and the part's values."""
        import numpy as np

        box, shape = as_box(index, self.layout.shape)
        piece = np.broadcast_to(_cast(np.asarray(values), self.layout.dtype), shape).reshape(box_shape(box))
        for unit in chunks_touched(box, self.unit_shape) if piece.size else ():
            whole = chunk_box(unit, self.layout.shape, self.unit_shape)
            part = intersection(box, whole)
            yield unit, whole, part, piece[within(part, box)]

    def write_all(self, values: Any) -> None:
        """Write the whole array from something of its shape that can be sliced; only an ndarray is read by several threads."""
        import numpy as np

        def write(unit: tuple[int, ...]) -> None:
            whole = chunk_box(unit, self.layout.shape, self.unit_shape)
            self._write_unit(unit, whole, _cast(np.asarray(values[whole]), self.layout.dtype))

        in_memory = isinstance(values, np.ndarray)
        for_each(write, grid_indices(self.layout.shape, self.unit_shape), values.nbytes if in_memory else 0)

    def write_pieces(self, pieces: Iterable[tuple[Any, Any]]) -> None:
        """Write pieces ``(index, values)`` one after the other. Units that they fill bit by bit are gathered before they are written."""
        gathering = GatheredUnits(self)
        for index, values in pieces:
            gathering.add(index, values)
        gathering.write_rest()

    def close(self) -> StorageReference:
        """Finish the array and give it its name."""
        complete = all(self._store.has_unit(unit) for unit in grid_indices(self.layout.shape, self.unit_shape))
        digests = self._all_digests()
        shutil.rmtree(self._staging / _LOCKS, ignore_errors=True)
        self._store.finish(complete=complete)
        publish(self._staging, Path(self._ref.path))
        layout = self.layout
        metadata: dict[str, Any] = {
            "shape": list(layout.shape),
            "dtype": str(layout.dtype.newbyteorder("=")),
            "content_hash": content_hash.of_array(layout.shape, layout.dtype, layout.axes, layout.chunk_shape, digests),
        }
        if layout.axes is not None:
            metadata["axes"] = list(layout.axes)
        self._written = StorageReference("zarr", self._ref.path, "zarr", metadata)
        return self._written

    def abandon(self) -> None:
        """Leave nothing behind."""
        discard(self._staging)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.abandon()
            return
        try:
            self.close()
        except BaseException:
            self.abandon()
            raise

    def write_part(self, unit: tuple[int, ...], whole: Box, part: Box, values: np.ndarray[Any, Any]) -> None:
        """Write a part of a unit; the rest of it is read back first."""
        if part == whole:
            self._write_unit(unit, whole, values)
            return
        with self._locked(unit):
            current = self._store.read(whole) if self._store.has_unit(unit) else _zeros(whole, self.layout.dtype)
            current[within(part, whole)] = values
            self._write_unit(unit, whole, current)

    def _write_unit(self, unit: tuple[int, ...], whole: Box, values: np.ndarray[Any, Any]) -> None:
        self._store.write_unit(unit, values)
        for chunk in chunks_touched(whole, self.layout.chunk_shape):
            box = chunk_box(chunk, self.layout.shape, self.layout.chunk_shape)
            self._digests[chunk] = content_hash.chunk_digest(values[within(box, whole)])

    def _all_digests(self) -> Iterator[bytes]:
        """Return the digests of all chunks; those that another process may have written are read."""
        known = {} if (self._staging / _LOCKS / _FOREIGN).exists() else self._digests
        digests = []
        for chunk in grid_indices(self.layout.shape, self.layout.chunk_shape):
            if chunk not in known:
                box = chunk_box(chunk, self.layout.shape, self.layout.chunk_shape)
                known[chunk] = content_hash.chunk_digest(self._store.read(box))
            digests.append(known[chunk])
        return iter(digests)

    @contextmanager
    def _locked(self, unit: tuple[int, ...]) -> Iterator[None]:
        """Keep other threads and processes off a unit. A lock belongs to the open file, so it holds between threads too."""
        folder = self._staging / _LOCKS
        folder.mkdir(exist_ok=True)
        with (folder / "-".join(map(str, unit))).open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _note_foreign_writer(self) -> None:
        (self._staging / _LOCKS).mkdir(exist_ok=True)
        (self._staging / _LOCKS / _FOREIGN).touch()


def _zeros(box: Box, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.zeros(box_shape(box), dtype=dtype)


def _cast(values: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the values in the type of the array.

    Raises
    ------
    ValueError
        If that would change them: a fraction or a large number in an array of small integers.
    """
    import numpy as np

    if np.can_cast(values.dtype, dtype, "same_kind"):
        return values.astype(dtype, copy=False)
    with np.errstate(invalid="ignore"):
        cast = values.astype(dtype)
    if not np.array_equal(cast, values):
        raise ValueError(f"Values of type {values.dtype} do not fit an array of {dtype}: convert them first, saying how to round or clip.")
    return cast

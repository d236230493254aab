"""Applying a function to every slice of an array, slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from scistudio.core.storage.persistence import output_dir_or_temporary
from scistudio.core.types.array import Array
from scistudio.utils.broadcast import BroadcastError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BroadcastError", "iterate_over_axes"]

SliceFunction = Callable[["np.ndarray[Any, Any]", dict[str, int]], "np.ndarray[Any, Any]"]


def iterate_over_axes(source: Array, operates_on: set[str], func: SliceFunction) -> Array:
    """Apply ``func`` to each slice along the axes it does not operate on, and return an array of the same class and axes.

    A stored array is read slice by slice, and the result is written slice by slice: neither is in memory as a whole.

    Parameters
    ----------
    source
        The array; its shape must be known.
    operates_on
        Axes that ``func`` works on. Its slices have them in the order of ``source``.
    func
        ``func(slice, coord) -> slice``, where ``coord`` says which index of the other axes this is. All results have one shape.

    Raises
    ------
    BroadcastError
        If an axis is unknown, the shape is not known, or results differ in shape or have another number of dimensions.
    """
    walk = _Walk(source, operates_on)
    results = ((index, _checked(walk, index, func(values, coord))) for index, values, coord in walk.slices())
    first = next(results, None)
    if first is None:
        return _derived(source, _empty(walk, source))
    return _derived(source, _written(walk, source, first, results))


class _Walk:
    """The slices of an array, and where each result goes."""

    def __init__(self, source: Array, operates_on: set[str]) -> None:
        unknown = sorted(set(operates_on) - set(source.axes))
        if unknown:
            raise BroadcastError(f"operates_on {unknown} is not among the axes {source.axes}.")
        if source.shape is None:
            raise BroadcastError("iterate_over_axes() needs the shape of the array, which is not known.")
        self.source = source
        self.inner = [axis in operates_on for axis in source.axes]
        self.shape: tuple[int, ...] = source.shape
        self.result_shape: tuple[int, ...] | None = None

    def slices(self) -> Iterator[tuple[tuple[Any, ...], np.ndarray[Any, Any], dict[str, int]]]:
        """Yield the numpy index, the values and the coordinates of each slice."""
        outer = [range(1) if inner else range(size) for inner, size in zip(self.inner, self.shape, strict=True)]
        for position in product(*outer):
            index = tuple(slice(None) if inner else at for inner, at in zip(self.inner, position, strict=True))
            named = zip(self.source.axes, self.inner, position, strict=True)
            yield index, self._read(index), {axis: at for axis, inner, at in named if not inner}

    def full_shape(self, slice_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the whole result: the sizes of the slice put back between those of the other axes."""
        inner_sizes = iter(slice_shape)
        return tuple(next(inner_sizes) if inner else size for inner, size in zip(self.inner, self.shape, strict=True))

    def _read(self, index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        return self.source._read_region(index)


def _checked(walk: _Walk, index: tuple[Any, ...], result: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    values = np.asarray(result)
    if values.ndim != sum(walk.inner):
        raise BroadcastError(f"The function returned {values.ndim} dimensions for a slice with {sum(walk.inner)}: shape {values.shape}.")
    if walk.result_shape is None:
        walk.result_shape = values.shape
    if values.shape != walk.result_shape:
        raise BroadcastError(f"The function returned the shape {values.shape} at {index}, but {walk.result_shape} before.")
    return values


def _written(walk: _Walk, source: Array, first: Any, results: Iterator[Any]) -> Array:
    from scistudio.core.storage.array_writer import ArrayWriter

    shape = walk.full_shape(first[1].shape)
    chunks = source.chunk_shape if source.chunk_shape is not None and shape == walk.shape else None
    path = f"{output_dir_or_temporary()}/{uuid4().hex[:12]}.zarr"
    with ArrayWriter(path, shape, first[1].dtype, axes=source.axes, chunk_shape=chunks) as writer:
        writer.write_pieces(_chained(first, results))
    return Array(axes=source.axes, shape=shape, dtype=str(first[1].dtype), chunk_shape=source.chunk_shape, storage_ref=writer.reference)


def _chained(first: Any, results: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from results


def _empty(walk: _Walk, source: Array) -> Array:
    """Return the result for an array in which some axis has no index at all."""
    import numpy as np

    return Array(axes=source.axes, data=np.empty(walk.shape, dtype=source.dtype or float), chunk_shape=source.chunk_shape)


def _derived(source: Array, result: Array) -> Array:
    """Give a result the class, metadata and descent of its source."""
    derived = source._derived_copy()
    derived._shape, derived._dtype = result.shape, result.dtype
    derived._transient_data, derived._storage_ref = result._transient_data, result._storage_ref
    derived._written_on_demand = result._storage_ref is None
    return derived

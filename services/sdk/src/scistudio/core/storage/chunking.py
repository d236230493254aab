"""How arrays are cut: chunks that a viewer or a block reads in one go, and shards that keep the number of files small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil, prod

CHUNK_BYTES = 1024**2
SHARD_BYTES = 64 * 1024**2
SHARDED_FROM_BYTES = 256 * 1024**2
# A colour axis is read whole with its pixel.
_WHOLE_CHANNELS = 4

Box = tuple[slice, ...]


def choose_chunks(shape: Sequence[int], itemsize: int, axes: Sequence[str] | None = None) -> tuple[int, ...]:
    """Return a chunk shape of about 1 MiB: square tiles on y and x (else the last two axes), then as much of the others as fits.

    Parameters
    ----------
    shape
        Of the whole array.
    itemsize
        Bytes an element.
    axes
        Names of the axes, where known.
    """
    budget = max(1, CHUNK_BYTES // max(1, itemsize))
    shape = tuple(max(1, size) for size in shape)
    if prod(shape) <= budget:
        return shape
    names = list(axes) if axes is not None else [""] * len(shape)
    start = [size if name == "c" and size <= _WHOLE_CHANNELS else 1 for name, size in zip(names, shape, strict=True)]
    tile = [names.index(name) for name in ("y", "x") if name in names]
    if len(tile) < 2:
        tile = list(range(len(shape)))[-2:]
    others = [axis for axis in reversed(range(len(shape))) if axis not in tile]
    return _grown(shape, start, tile, others, budget)


def choose_shards(shape: Sequence[int], chunk_shape: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
    """Return a shard shape of about 64 MiB, or ``None`` for an array that is small enough to be left as single chunks."""
    if prod(shape) * itemsize <= SHARDED_FROM_BYTES:
        return None
    per_shard = max(1, SHARD_BYTES // (prod(chunk_shape) * max(1, itemsize)))
    grid = grid_shape(shape, chunk_shape)
    last_two = list(range(len(shape)))[-2:]
    others = [axis for axis in reversed(range(len(shape))) if axis not in last_two]
    counts = _grown(grid, [1] * len(grid), last_two, others, per_shard)
    return None if prod(counts) == 1 else tuple(count * size for count, size in zip(counts, chunk_shape, strict=True))


def _grown(shape: Sequence[int], start: Sequence[int], first: Sequence[int], then: Sequence[int], budget: int) -> tuple[int, ...]:
    """Double the shortest of the ``first`` axes, then the others one after the other, as long as ``budget`` elements allow."""
    extent = list(start)

    def may_grow(axis: int) -> bool:
        grown = min(2 * extent[axis], shape[axis])
        return extent[axis] < shape[axis] and prod(extent) // extent[axis] * grown <= budget

    while candidates := [axis for axis in first if may_grow(axis)]:
        axis = min(candidates, key=lambda candidate: (extent[candidate], candidate))
        extent[axis] = min(2 * extent[axis], shape[axis])
    for axis in then:
        while may_grow(axis):
            extent[axis] = min(2 * extent[axis], shape[axis])
    return tuple(extent)


def grid_shape(shape: Sequence[int], chunk_shape: Sequence[int]) -> tuple[int, ...]:
    """Return the number of chunks along each axis."""
    return tuple(ceil(size / chunk) for size, chunk in zip(shape, chunk_shape, strict=True))


def grid_indices(shape: Sequence[int], chunk_shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the index of every chunk, in C order."""
    yield from product(*(range(count) for count in grid_shape(shape, chunk_shape)))


def chunk_box(index: Sequence[int], shape: Sequence[int], chunk_shape: Sequence[int]) -> Box:
    """Return the part of the array that a chunk holds, cut at the array's edge."""
    corners = zip(index, shape, chunk_shape, strict=True)
    return tuple(slice(i * chunk, min((i + 1) * chunk, size)) for i, size, chunk in corners)


def chunks_touched(box: Box, chunk_shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the index of every chunk that a box reaches into, in C order."""
    ranges = [range(part.start // chunk, ceil(part.stop / chunk)) for part, chunk in zip(box, chunk_shape, strict=True)]
    yield from product(*ranges)


def intersection(a: Box, b: Box) -> Box:
    """Return what two boxes that touch have in common."""
    return tuple(slice(max(p.start, q.start), min(p.stop, q.stop)) for p, q in zip(a, b, strict=True))


def within(box: Box, outer: Box) -> Box:
    """Return ``box`` counted from the corner of ``outer``."""
    return tuple(slice(p.start - q.start, p.stop - q.start) for p, q in zip(box, outer, strict=True))


def box_shape(box: Box) -> tuple[int, ...]:
    """Return the number of elements along each axis of a box."""
    return tuple(part.stop - part.start for part in box)

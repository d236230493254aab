"""Index expressions on stored arrays: which box has to be read, and what numpy then picks from it."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from scistudio.core.storage.chunking import Box, box_shape


def as_box(index: Any, shape: Sequence[int]) -> tuple[Box, tuple[int, ...]]:
    """Return the box that ints and slices (of step 1) name, and the shape that numpy gives to it.

    Raises
    ------
    IndexError
        If an index is out of bounds, there are too many, or one is of another kind.
    """
    box, picked = [], []
    for position, (part, size) in enumerate(zip(expanded(index, len(shape)), shape, strict=True)):
        if isinstance(part, slice) and (part.step or 1) == 1:
            start, stop, _step = part.indices(size)
            box.append(slice(start, max(start, stop)))
            picked.append(max(0, stop - start))
        elif isinstance(part, Integral):
            start = _in_bounds(int(part), size, position)
            box.append(slice(start, start + 1))
        else:
            raise IndexError(f"Pieces are written with ints and slices of step 1, not {part!r}.")
    return tuple(box), tuple(picked)


def bounding_box(index: Any, shape: Sequence[int]) -> tuple[Box, tuple[Any, ...]]:
    """Return the smallest box that holds what any numpy index picks, and the index counted from the box's corner."""
    parts = expanded(index, len(shape))
    if len(parts) != len(shape) or any(part is None or _ndim(part) > 1 for part in parts):
        return tuple(slice(0, size) for size in shape), parts
    bounded = [_bounded(part, size, position) for position, (part, size) in enumerate(zip(parts, shape, strict=True))]
    return tuple(box for box, _rest in bounded), tuple(rest for _box, rest in bounded)


def picks_whole(rest: tuple[Any, ...], box: Box) -> bool:
    """Say whether an index takes all of a box as it is."""
    return all(isinstance(part, slice) and part == slice(0, size, 1) for part, size in zip(rest, box_shape(box), strict=True))


def expanded(index: Any, ndim: int) -> tuple[Any, ...]:
    """Return one part an axis: an ellipsis, and what is left out at the end, stand for whole axes."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = sum(
        1 if part is None or part is Ellipsis else max(1, _mask_ndim(part)) for part in parts if part is not None and part is not Ellipsis
    )
    if taken > ndim:
        raise IndexError(f"too many indices: the array has {ndim} dimensions, {taken} were given")
    whole = (slice(None),) * (ndim - taken)
    at = next((position for position, part in enumerate(parts) if part is Ellipsis), None)
    return (*parts, *whole) if at is None else (*parts[:at], *whole, *parts[at + 1 :])


def _bounded(part: Any, size: int, position: int) -> tuple[slice, Any]:
    import numpy as np

    if isinstance(part, slice):
        chosen = range(*part.indices(size))
        if not chosen:
            return slice(0, 0), slice(0, 0, 1)
        low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
        first, last = chosen[0] - low, chosen[-1] - low
        stop = last + (1 if chosen.step > 0 else -1)
        return slice(low, high + 1), slice(first, None if stop < 0 else stop, chosen.step)
    if isinstance(part, Integral):
        start = _in_bounds(int(part), size, position)
        return slice(start, start + 1), 0
    chosen_ones = _positions(np.asarray(part), size, position)
    if not chosen_ones.size:
        return slice(0, 0), chosen_ones
    values = [_in_bounds(int(value), size, position) for value in chosen_ones.ravel()]
    return slice(min(values), max(values) + 1), np.array(values).reshape(chosen_ones.shape) - min(values)


def _positions(listed: Any, size: int, position: int) -> Any:
    """Return the positions that a list or a mask of one axis names."""
    import numpy as np

    if listed.dtype != bool:
        return listed.astype(np.intp, casting="same_kind" if listed.size else "unsafe")
    if listed.shape != (size,):
        raise IndexError(f"a mask of shape {listed.shape} does not fit axis {position} with size {size}")
    return np.flatnonzero(listed)


def _in_bounds(index: int, size: int, position: int) -> int:
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {position} with size {size}")
    return index % size if size else 0


def _ndim(part: Any) -> int:
    import numpy as np

    return 0 if isinstance(part, slice | Integral) else np.ndim(part)


def _mask_ndim(part: Any) -> int:
    """Return how many axes a part takes: a mask takes as many as it has."""
    import numpy as np

    return np.ndim(part) if not isinstance(part, slice | Integral) and np.asarray(part).dtype == bool else 1

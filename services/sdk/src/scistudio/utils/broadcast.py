"""Applying a small object across the slices of a larger array, in memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from scistudio.core.types.base import LARGE_READ_BYTES

if TYPE_CHECKING:
    import numpy as np

    from scistudio.core.types.array import Array

__all__ = ["BroadcastError", "broadcast_apply", "iter_axis_slices"]


class BroadcastError(Exception):
    """Axes, shapes or results do not fit each other."""


def iter_axis_slices(data: np.ndarray[Any, Any], axes: Sequence[str], over_axis: str) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """Yield ``(index, slice)`` for each index of an axis; the slice lacks that axis.

    Raises
    ------
    BroadcastError
        If the axis does not exist, or the number of axes differs from the dimensions.
    """
    import numpy as np

    if data.ndim != len(axes):
        raise BroadcastError(f"{len(axes)} axes {list(axes)} were given for an array with {data.ndim} dimensions {data.shape}.")
    if over_axis not in axes:
        raise BroadcastError(f"There is no axis {over_axis!r} in {list(axes)}.")
    position = list(axes).index(over_axis)
    for index in range(data.shape[position]):
        yield index, np.take(data, index, axis=position)


def broadcast_apply(source: Any, target: Array, func: Callable[[Any, np.ndarray[Any, Any]], Any], over_axes: Sequence[str]) -> list[Any]:
    """Call ``func(source, slice)`` for every index of ``over_axes`` in ``target`` and return the results in C order.

    Parameters
    ----------
    source
        What is applied to each slice, such as one mask for all channels; handed on as it is.
    target
        The array that is cut. It is read whole: above 2 GiB a ``ResourceWarning`` says so.
    func
        Gets the source and a slice with the remaining axes in their order.
    over_axes
        Names of axes of ``target``.

    Raises
    ------
    BroadcastError
        If an axis does not exist.
    """
    unknown = [axis for axis in over_axes if axis not in target.axes]
    if unknown:
        raise BroadcastError(f"broadcast_apply() received axes {unknown}, which are not in {target.axes}.")
    data = target.to_numpy()
    if data.nbytes > LARGE_READ_BYTES:
        warnings.warn(f"broadcast_apply() holds {data.nbytes / 1024**3:.1f} GiB in memory.", ResourceWarning, stacklevel=2)
    positions = [target.axes.index(axis) for axis in over_axes]
    results = []
    for indices in product(*(range(data.shape[position]) for position in positions)):
        chosen = dict(zip(positions, indices, strict=True))
        results.append(func(source, data[tuple(chosen.get(position, slice(None)) for position in range(data.ndim))]))
    return results

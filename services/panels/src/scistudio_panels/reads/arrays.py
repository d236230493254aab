"""Planes of arrays: a rectangle, strided to a bounded number of pixels, read chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_panels.errors import WrongRead
from scistudio_panels.reads.answer import Answer, json_number

if TYPE_CHECKING:
    from scistudio.core.types import Array

MEDIA_TYPE = "application/vnd.scistudio.array"
SIDE, LARGEST_SIDE = 512, 2048


@dataclass(frozen=True, slots=True)
class Window:
    """Along one axis: where it starts, how far it goes, and the stride that keeps it small."""

    start: int
    length: int
    step: int

    @property
    def slice(self) -> slice:
        """As an index."""
        return slice(self.start, self.start + self.length, self.step)


def window(size: int, start: int, length: int, max_side: int) -> Window:
    """Return the part of an axis that a read asks for, cut to what is there."""
    start = min(max(start, 0), max(size - 1, 0))
    length = min(length or size, size - start)
    return Window(start, length, max(1, -(-length // max_side)))


def plane_axes(axes: list[str]) -> list[int]:
    """Return the positions of the axes of a picture: y and x by name, else the last two; one for a line, none for a single value."""
    if "y" in axes and "x" in axes:
        return [axes.index("y"), axes.index("x")]
    return list(range(max(0, len(axes) - 2), len(axes)))


def describe(array: Array) -> dict[str, Any]:
    """Return what an array is."""
    return {"shape": [str(n) if n > 2**53 else n for n in array.shape or ()], "dtype": str(array.dtype), "axes": array.axes}


def read_array(array: Array, read: pb.ArrayRead) -> Answer:
    """Read one plane.

    Returns
    -------
    Answer
        Raw little-endian values in C order; metadata ``shape dtype axes full_shape origin step indices vmin vmax``, where
        ``vmin`` and ``vmax`` are those of the values that are sent, without what is not finite.
    """
    shape, axes = array.shape or (), array.axes
    for axis in read.indices:
        if axis not in axes:
            raise WrongRead(f"The array has no axis {axis!r}.", subject=f"axis/{axis}", hint=f"Its axes are {', '.join(axes)}.")
    plane = plane_axes(axes)
    max_side = min(read.max_side or SIDE, LARGEST_SIDE)
    wanted = [(read.y, read.height), (read.x, read.width)][2 - len(plane) :]
    windows = {at: window(shape[at], start, length, max_side) for at, (start, length) in zip(plane, wanted, strict=True)}
    indices = {at: _index(axes[at], read.indices.get(axes[at], 0), shape[at]) for at in range(len(axes)) if at not in windows}
    values = _values(array, tuple(windows[at].slice if at in windows else indices[at] for at in range(len(axes))))
    if plane == sorted(plane, reverse=True) and len(plane) == 2:
        values = values.T  # stored x before y: a picture has y first
    metadata = {
        "shape": list(values.shape),
        "dtype": values.dtype.str,
        "axes": [axes[at] for at in plane],
        "all_axes": axes,
        "full_shape": list(shape),
        "origin": [windows[at].start for at in plane],
        "step": [windows[at].step for at in plane],
        "indices": {axes[at]: index for at, index in indices.items()},
        **_range(values),
    }
    return Answer(MEDIA_TYPE, metadata, np.ascontiguousarray(values).tobytes())


def _index(axis: str, index: int, size: int) -> int:
    if not 0 <= index < size:
        raise WrongRead(f"Index {index} of axis {axis!r} is not there.", subject=f"axis/{axis}", hint=f"It goes from 0 to {size - 1}.")
    return index


def _values(array: Array, index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """The region, little-endian; text and objects as they are printed would not be numbers, so they are refused."""
    values = np.asarray(array.slice(*index) if array.storage_ref is not None else array.to_numpy()[index])
    if values.dtype.kind not in "biufc":
        raise WrongRead(f"An array of {values.dtype} cannot be shown as a picture.", hint="Read its description.")
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


def _range(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    real = np.abs(values) if values.dtype.kind == "c" else values
    finite = real[np.isfinite(real)] if real.dtype.kind == "f" else real
    if finite.size == 0:
        return {"vmin": None, "vmax": None, "n_not_finite": int(real.size)}
    return {"vmin": json_number(finite.min()), "vmax": json_number(finite.max()), "n_not_finite": int(real.size - finite.size)}

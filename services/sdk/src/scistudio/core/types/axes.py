"""Rules about the named axes of an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

from scistudio.core.units import PhysicalQuantity

if TYPE_CHECKING:
    from scistudio.core.types.array import Array


def checked_axes(array_type: type[Array], axes: Sequence[str]) -> list[str]:
    """Return ``axes`` as a list if they fit the class.

    Raises
    ------
    ValueError
        If an axis repeats, a required one is missing, or one is not allowed.
    """
    listed, present = list(axes), set(axes)
    if len(present) != len(listed):
        raise ValueError(f"Duplicate axes in {listed}")
    if not array_type.required_axes <= present:
        missing = sorted(array_type.required_axes - present)
        raise ValueError(f"{array_type.__name__} requires axes {sorted(array_type.required_axes)}, missing: {missing}")
    if array_type.allowed_axes is not None and not present <= array_type.allowed_axes:
        unexpected = sorted(present - array_type.allowed_axes)
        raise ValueError(f"{array_type.__name__} accepts only {sorted(array_type.allowed_axes)}, unexpected: {unexpected}")
    return listed


def checked_selection(
    array_type: type[Array], axes: Sequence[str], shape: Sequence[int] | None, chosen: Mapping[str, Any]
) -> tuple[int | slice, ...]:
    """Return one index an axis, in their order; axes not named are taken whole.

    Raises
    ------
    ValueError
        If an axis is unknown or an index is neither int nor slice.
    IndexError
        If an int is out of bounds.
    """
    unknown = sorted(set(chosen) - set(axes))
    if unknown:
        raise ValueError(f"{array_type.__name__}.sel() received unknown axes: {unknown}")
    sizes: Sequence[int | None] = [None] * len(axes) if shape is None else list(shape)
    return tuple(_checked_index(axis, size, chosen.get(axis, slice(None))) for axis, size in zip(axes, sizes, strict=True))


def _checked_index(axis: str, size: int | None, index: Any) -> int | slice:
    if isinstance(index, slice):
        return index
    if isinstance(index, bool) or not isinstance(index, Integral):
        raise ValueError(f"sel() index for axis {axis!r} must be int or slice, got {type(index).__name__}")
    position = int(index)
    if size is not None and not -size <= position < size:
        raise IndexError(f"sel() index {position} is out of bounds for axis {axis!r} with size {size}")
    return position


def scale_after(scale: Mapping[str, PhysicalQuantity], axes: Sequence[str], index: Sequence[int | slice]) -> dict[str, PhysicalQuantity]:
    """Return the scale of a selection: axes that an int dropped lose theirs, a step widens it."""
    steps = {axis: abs(chosen.step or 1) for axis, chosen in zip(axes, index, strict=True) if isinstance(chosen, slice)}
    return {axis: replace(step, value=step.value * steps[axis]) for axis, step in scale.items() if axis in steps}

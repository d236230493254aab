"""Predicates for ``InputPort(constraint=…)``: they see the Collection and must hold for each item. An empty one passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["has_axes", "has_dtype", "has_exact_axes", "has_min_shape", "has_shape", "is_2d", "is_3d"]

Constraint = Callable[[Any], bool]


def _for_all(description: str, holds: Callable[[Any], bool]) -> Constraint:
    """Make a predicate of a collection from one of an item; items without the attribute, and what is no collection, fail."""

    def constraint(collection: Any) -> bool:
        try:
            return all(holds(item) for item in collection)
        except (AttributeError, TypeError):
            return False

    constraint.__name__ = constraint.__qualname__ = description
    constraint.__doc__ = f"Say whether every item fulfils {description}."
    return constraint


def has_axes(*names: str) -> Constraint:
    """Ask for these axes; there may be others."""
    return _for_all(f"has_axes({', '.join(names)})", lambda item: set(names) <= set(item.axes))


def has_exact_axes(*names: str) -> Constraint:
    """Ask for these axes and no others, in any order."""
    return _for_all(f"has_exact_axes({', '.join(names)})", lambda item: set(names) == set(item.axes))


def has_shape(ndim: int) -> Constraint:
    """Ask for this number of dimensions."""
    return _for_all(f"has_shape({ndim})", lambda item: len(item.shape) == ndim)


def has_min_shape(ndim: int) -> Constraint:
    """Ask for at least this number of dimensions."""
    return _for_all(f"has_min_shape({ndim})", lambda item: len(item.shape) >= ndim)


def has_dtype(*dtypes: Any) -> Constraint:
    """Ask for one of these element types, compared by name."""
    wanted = {str(dtype) for dtype in dtypes}
    return _for_all(f"has_dtype({', '.join(sorted(wanted))})", lambda item: str(item.dtype) in wanted)


def is_2d() -> Constraint:
    """Ask for two dimensions."""
    return _for_all("is_2d", lambda item: len(item.shape) == 2)


def is_3d() -> Constraint:
    """Ask for three dimensions."""
    return _for_all("is_3d", lambda item: len(item.shape) == 3)

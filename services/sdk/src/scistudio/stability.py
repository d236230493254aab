"""Decorators that say how long a public name keeps its meaning, and the way to ask for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

__all__ = ["StabilityInfo", "Tier", "get_stability", "internal", "provisional", "stable"]

_ATTRIBUTE = "__scistudio_stability__"
T = TypeVar("T")


class Tier(StrEnum):
    """How firmly a name is promised."""

    STABLE = "stable"
    PROVISIONAL = "provisional"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class StabilityInfo:
    """The tier of a symbol, and the version since which it holds."""

    tier: Tier
    since: str | None = None


def _carrier(symbol: Any) -> Any:
    """Return the object that holds the stamp: the getter of a property, the function of a class or static method."""
    if isinstance(symbol, property):
        return symbol.fget
    return getattr(symbol, "__func__", symbol)


def _stamper(info: StabilityInfo) -> Callable[[T], T]:
    def stamp(symbol: T) -> T:
        setattr(_carrier(symbol), _ATTRIBUTE, info)
        return symbol

    return stamp


def stable(*, since: str) -> Callable[[T], T]:
    """Promise that the symbol keeps working until the next major version."""
    return _stamper(StabilityInfo(Tier.STABLE, since))


def provisional(*, since: str) -> Callable[[T], T]:
    """Offer the symbol; it may still change with a minor version, named in the notes."""
    return _stamper(StabilityInfo(Tier.PROVISIONAL, since))


def internal(*, since: str | None = None) -> Callable[[T], T]:
    """Mark the symbol as ours: it may change at any time."""
    return _stamper(StabilityInfo(Tier.INTERNAL, since))


def get_stability(symbol: Any) -> StabilityInfo | None:
    """Return what was promised for ``symbol``, or ``None``. A class does not inherit the promise of its parent."""
    carrier = _carrier(symbol)
    while carrier is not None:
        info = vars(carrier).get(_ATTRIBUTE) if hasattr(carrier, "__dict__") else None
        if isinstance(info, StabilityInfo):
            return info
        carrier = None if inspect.isclass(carrier) else getattr(carrier, "__wrapped__", None)
    return None

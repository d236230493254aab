"""Physical quantities: a value with its unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from scistudio.stability import stable

__all__ = ["PhysicalQuantity"]

# Unit → (kind, factor to the kind's base unit: m, s, Hz, 1/m).
_UNITS: dict[str, tuple[str, float]] = {
    "m": ("length", 1.0),
    "mm": ("length", 1e-3),
    "um": ("length", 1e-6),
    "nm": ("length", 1e-9),
    "pm": ("length", 1e-12),
    "A": ("length", 1e-10),
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "us": ("time", 1e-6),
    "ns": ("time", 1e-9),
    "min": ("time", 60.0),
    "hr": ("time", 3600.0),
    "Hz": ("frequency", 1.0),
    "kHz": ("frequency", 1e3),
    "MHz": ("frequency", 1e6),
    "GHz": ("frequency", 1e9),
    "cm-1": ("wavenumber", 100.0),
    "m-1": ("wavenumber", 1.0),
}


def _unit(name: str) -> tuple[str, float]:
    try:
        return _UNITS[name]
    except KeyError:
        raise ValueError(f"Unknown unit {name!r}. Known units: {', '.join(_UNITS)}.") from None


@stable(since="0.3.1")
@total_ordering
@dataclass(frozen=True, eq=False)
class PhysicalQuantity:
    """A value with a unit of length, time, frequency or wavenumber.

    Parameters
    ----------
    value
        The number.
    unit
        One of ``m mm um nm pm A s ms us ns min hr Hz kHz MHz GHz cm-1 m-1``.

    Raises
    ------
    ValueError
        If the unit is unknown.
    """

    value: float
    unit: str

    def __post_init__(self) -> None:
        _unit(self.unit)

    @property
    def _kind(self) -> str:
        return _unit(self.unit)[0]

    @property
    def _base_value(self) -> float:
        return self.value * _unit(self.unit)[1]

    def to(self, unit: str) -> Self:
        """Return the same quantity in another unit of its kind."""
        kind, factor = _unit(unit)
        if kind != self._kind:
            raise ValueError(f"Cannot convert {self._kind} ({self.unit}) to {kind} ({unit}).")
        return type(self)(self._base_value / factor, unit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PhysicalQuantity):
            return NotImplemented
        return self._kind == other._kind and self._rounded() == other._rounded()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, PhysicalQuantity):
            return NotImplemented
        if self._kind != other._kind:
            raise TypeError(f"Cannot compare {self._kind} ({self.unit}) with {other._kind} ({other.unit}).")
        return self != other and self._base_value < other._base_value

    def __hash__(self) -> int:
        return hash((self._kind, self._rounded()))

    def _rounded(self) -> float:
        """Return the base value to twelve significant digits: enough to tell quantities apart, too few to see how they were converted."""
        return float(f"{self._base_value:.12g}")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept an instance or ``{"value", "unit"}``; dump to that dict."""
        fields = core_schema.typed_dict_schema(
            {
                "value": core_schema.typed_dict_field(core_schema.float_schema()),
                "unit": core_schema.typed_dict_field(core_schema.str_schema()),
            }
        )
        from_dict = core_schema.no_info_after_validator_function(lambda data: cls(**data), fields)
        return core_schema.json_or_python_schema(
            json_schema=from_dict,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(cls), from_dict]),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda quantity: {"value": quantity.value, "unit": quantity.unit}, return_schema=fields
            ),
        )

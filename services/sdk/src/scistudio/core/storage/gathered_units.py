"""Gathering pieces that are smaller than a unit: a shard of 64 MiB is not read and written again for each plane in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from scistudio.core.storage.chunking import Box, box_shape, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

Unit = tuple[int, ...]
_MOST_BYTES = 256 * 1024**2


class PartWriter(Protocol):
    """What can split a piece into parts of units, and write such a part."""

    def parts(self, index: Any, values: Any) -> Iterator[tuple[Unit, Box, Box, np.ndarray[Any, Any]]]:
        """Yield unit, its box, the part of it, and the part's values."""
        ...

    def write_part(self, unit: Unit, whole: Box, part: Box, values: np.ndarray[Any, Any]) -> None:
        """Write a part of a unit."""
        ...


class _Gathered:
    """The parts of one unit that came so far."""

    def __init__(self, whole: Box, dtype: np.dtype[Any]) -> None:
        import numpy as np

        self.whole = whole
        self.values = np.zeros(box_shape(whole), dtype=dtype)
        self.parts: list[Box] = []
        self.n_missing = self.values.size


class GatheredUnits:
    """Units in the making, written when they are full, or when they take too much memory."""

    def __init__(self, writer: PartWriter) -> None:
        self._writer = writer
        self._units: dict[Unit, _Gathered] = {}

    def add(self, index: Any, values: Any) -> None:
        """Take a piece."""
        for unit, whole, part, part_values in self._writer.parts(index, values):
            if part == whole:
                self._units.pop(unit, None)
                self._writer.write_part(unit, whole, part, part_values)
                continue
            gathered = self._units.setdefault(unit, _Gathered(whole, part_values.dtype))
            gathered.values[within(part, whole)] = part_values
            gathered.parts.append(part)
            gathered.n_missing -= part_values.size
            if gathered.n_missing <= 0:
                self._write(unit)
        while sum(gathered.values.nbytes for gathered in self._units.values()) > _MOST_BYTES:
            self._write(next(iter(self._units)))

    def write_rest(self) -> None:
        """Write what is not full."""
        for unit in list(self._units):
            self._write(unit)

    def _write(self, unit: Unit) -> None:
        gathered = self._units.pop(unit)
        for part in gathered.parts if gathered.n_missing else [gathered.whole]:
            self._writer.write_part(unit, gathered.whole, part, gathered.values[within(part, gathered.whole)])

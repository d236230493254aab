"""CompositeData: several objects under one name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from scistudio.core.types.base import DataObject, same_registered_type
from scistudio.stability import stable

__all__ = ["CompositeData"]


@stable(since="0.3.1")
class CompositeData(DataObject):
    """A named bundle of data objects.

    Parameters
    ----------
    slots
        The objects by slot name. Slots that the class declares are checked; others are welcome.
    **common
        The arguments of :class:`DataObject`.
    """

    expected_slots: ClassVar[dict[str, type]] = {}
    """Types of the declared slots. A missing one is no error."""

    def __init__(self, *, slots: Mapping[str, DataObject] | None = None, **common: Any) -> None:
        super().__init__(**common)
        self._slots: dict[str, Any] = {}
        for name, obj in (slots or {}).items():
            self.set(name, obj)

    def get(self, name: str) -> Any:
        """Return the object in a slot."""
        try:
            return self._slots[name]
        except KeyError:
            raise KeyError(f"Slot '{name}' is not populated.") from None

    def set(self, name: str, obj: DataObject) -> None:
        """Put an object into a slot."""
        expected = self.expected_slots.get(name, DataObject)
        fits = isinstance(obj, expected) or any(same_registered_type(base, expected) for base in type(obj).__mro__)
        if not fits:
            raise TypeError(f"Slot '{name}' expects {expected.__name__}, got {type(obj).__name__}.")
        self._slots[name] = obj

    def slot_types(self) -> dict[str, type]:
        """Return the declared slots and their types."""
        return dict(self.expected_slots)

    @property
    def slot_names(self) -> list[str]:
        """Names of the populated slots, in the order they were set."""
        return list(self._slots)

    def to_memory(self) -> Any:
        """Return ``{slot: payload}``."""
        if self._storage_ref is None and self._slots:
            return {name: obj.to_memory() for name, obj in self._slots.items()}
        return super().to_memory()

    def get_in_memory_data(self) -> dict[str, tuple[str, Any]]:
        """Return ``{slot: (backend name, payload)}``."""
        from scistudio.core.storage.backend_router import get_router

        router = get_router()
        return {name: (router.name_for(type(obj)), obj.get_in_memory_data()) for name, obj in self._slots.items()}

    def _derived_copy(self) -> Self:
        derived = super()._derived_copy()
        derived._slots = dict(self._slots)
        return derived

"""Types by name: how two sides that never share a class object agree on what an object is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scistudio.stability import stable

if TYPE_CHECKING:
    from scistudio.core.types.base import DataObject


@stable(since="0.3.1")
@dataclass
class TypeSignature:
    """Names of a type and its ancestors, most general first, with the slots of a composite and the axes of an array."""

    type_chain: list[str]
    slot_schema: dict[str, str] | None = None
    required_axes: frozenset[str] | None = None

    @classmethod
    def from_type(cls, data_type: type[DataObject]) -> TypeSignature:
        """Describe a class."""
        slots: dict[str, type] = getattr(data_type, "expected_slots", None) or {}
        return cls(
            type_chain=chain_of(data_type),
            slot_schema={name: slot.__name__ for name, slot in slots.items()} or None,
            required_axes=getattr(data_type, "required_axes", None) or None,
        )

    def matches(self, other: TypeSignature) -> bool:
        """Say whether an object of this type may be used where ``other`` is asked for."""
        if self.type_chain[: len(other.type_chain)] != other.type_chain:
            return False
        ours = self.slot_schema or {}
        return all(ours.get(name) == wanted for name, wanted in (other.slot_schema or {}).items())


def chain_of(data_type: type) -> list[str]:
    """Return the names of ``data_type`` and its data ancestors, most general first."""
    from scistudio.core.types.base import DataObject

    ancestors = [base for base in reversed(data_type.__mro__) if issubclass(base, DataObject)]
    return [base.__name__ for base in ancestors if "_is_shared_code" not in vars(base)]


def same_registered_type(a: Any, b: Any) -> bool:
    """Say whether two classes are one type to a user: two imports of one drop-in file make two class objects."""
    return _is_data_type(a) and _is_data_type(b) and a.__name__ == b.__name__


def _is_data_type(candidate: Any) -> bool:
    from scistudio.core.types.base import DataObject

    return isinstance(candidate, type) and issubclass(candidate, DataObject)

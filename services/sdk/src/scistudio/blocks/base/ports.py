"""Typed ends of a block, and the rules by which they fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scistudio.core.types.base import DataObject, same_registered_type
from scistudio.core.types.collection import Collection


@dataclass(kw_only=True)
class Port:
    """One named end of a block.

    Parameters
    ----------
    name
        Key in the dict that ``run`` gets or returns.
    accepted_types
        Types that may pass, with their subclasses. Empty: anything.
    is_collection
        A hint for the page. Every port carries a ``Collection``.
    """

    name: str
    accepted_types: list[type]
    is_collection: bool = False
    description: str = ""
    required: bool = True


@dataclass(kw_only=True)
class InputPort(Port):
    """Where data enters. ``constraint`` gets the whole ``Collection`` and says whether it will do."""

    default: Any = None
    constraint: Callable[[Any], bool] | None = None
    constraint_description: str = ""


@dataclass(kw_only=True)
class OutputPort(Port):
    """Where data leaves. A required one must be produced by every run."""


def type_names(types: Iterable[type]) -> list[str]:
    """Return the names by which people know ``types``."""
    return [kind.__name__ for kind in types]


def accepts(accepted: Iterable[type], candidate: type) -> bool:
    """Tell whether an object of type ``candidate`` may pass a port of ``accepted`` types."""
    accepted = list(accepted)
    return not accepted or any(_is_a(candidate, kind) for kind in accepted)


def _is_a(candidate: type, kind: type) -> bool:
    """``issubclass``, also when a drop-in file was imported twice and its class exists twice."""
    return issubclass(candidate, kind) or any(same_registered_type(base, kind) for base in candidate.__mro__)


def port_accepts_type(port: Port, value: Any) -> bool:
    """Tell whether ``port`` takes ``value``: a type, a Collection (by its items), or an object."""
    if isinstance(value, type):
        return accepts(port.accepted_types, value)
    if isinstance(value, Collection):
        return collection_fits(port, value)
    return accepts(port.accepted_types, type(value))


def collection_fits(port: Port, collection: Collection) -> bool:
    """Tell whether every item may pass: by the declared item type, else one by one (a Collection of a base type)."""
    if accepts(port.accepted_types, collection.item_type):
        return True
    return len(collection) > 0 and all(accepts(port.accepted_types, type(item)) for item in collection)


def validate_port_constraint(port: InputPort, value: Any) -> tuple[bool, str]:
    """Ask the port's ``constraint`` about ``value``; an exception in it counts as a refusal."""
    if port.constraint is None:
        return True, ""
    try:
        satisfied = port.constraint(value)
    except Exception as error:  # the predicate is an author's code: whatever it raises is a "no" with a reason
        return False, f"Constraint raised {type(error).__name__}: {error}"
    return (True, "") if satisfied else (False, port.constraint_description or "Constraint not satisfied")


def validate_connection(source: OutputPort, target: InputPort) -> tuple[bool, str]:
    """Tell whether an edge may join the two ports, and why not.

    It may when one side takes anything, or when some pair of types is related in either direction: an output of a
    general type can carry what the input needs, which is checked again when the block runs.
    """
    if not source.accepted_types or not target.accepted_types:
        return True, ""
    for left in source.accepted_types:
        for right in target.accepted_types:
            if _is_a(left, right) or _is_a(right, left):
                return True, ""
    produced, wanted = type_names(source.accepted_types), type_names(target.accepted_types)
    return False, f"Output port '{source.name}' produces {produced}, but input port '{target.name}' accepts {wanted}"


def ports_from_config_dicts(dicts: Iterable[Mapping[str, Any]], direction: Literal["input", "output"]) -> list[Any]:
    """Build the ports that a person edited on a node: ``[{"name": "left", "types": ["Image"]}, …]``.

    A missing name is ``port``, of two equal names the first wins, unknown or absent types are ``DataObject``.
    """
    port_class = InputPort if direction == "input" else OutputPort
    ports: dict[str, Port] = {}
    for entry in dicts:
        name = str(entry.get("name") or "port")
        if name not in ports:
            ports[name] = port_class(name=name, accepted_types=_resolve_types(entry.get("types") or []))
    return list(ports.values())


def _resolve_types(names: Iterable[str]) -> list[type]:
    """Find the classes behind ``names``; the registry is only asked for what is not a core type."""
    return [resolve_type(str(name)) or DataObject for name in names] or [DataObject]


def resolve_type(name: str) -> type | None:
    """Return the class registered under ``name``, or ``None``."""
    import scistudio.core.types as core_types  # here: the core types themselves never need ports
    from scistudio.core.types.serialization import _get_type_registry

    known = getattr(core_types, name, None)
    if isinstance(known, type) and issubclass(known, DataObject):
        return known
    return _get_type_registry().resolve([name])

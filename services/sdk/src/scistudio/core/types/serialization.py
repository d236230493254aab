"""The wire format: data objects and port values as JSON, never their payloads."""

from __future__ import annotations

import logging
from typing import Any

from scistudio.core.meta.framework import FrameworkMeta
from scistudio.core.storage.ref import StorageReference
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection
from scistudio.core.types.composite import CompositeData
from scistudio.core.types.registry import TypeRegistry
from scistudio.core.types.signature import chain_of

__all__ = ["reconstruct_value", "serialise_value"]

logger = logging.getLogger(__name__)

# One registry a process, made when first needed; tests put their own here.
_registry_instance: TypeRegistry | None = None


def _get_type_registry() -> TypeRegistry:
    """Return the registry of this process; the first call registers core types and those of installed packages."""
    global _registry_instance
    if _registry_instance is None:
        registry = TypeRegistry()
        registry.scan_all()
        _registry_instance = registry
    return _registry_instance


def serialise_value(value: Any) -> Any:
    """Return what a port carries as JSON: a collection as its envelope, one object alone as itself, other JSON unchanged."""
    if isinstance(value, Collection):
        items = [_serialise_one(item) if isinstance(item, DataObject) else {"_value": str(item)} for item in value]
        return {"_collection": True, "items": items, "item_type": value.item_type.__name__}
    if isinstance(value, DataObject):
        return _serialise_one(value)
    return value if value is None or isinstance(value, bool | int | float | str | list | dict) else str(value)


def reconstruct_value(wire: Any) -> Any:
    """Return the value of a port from its JSON; nothing is read from storage."""
    if not isinstance(wire, dict):
        return wire
    if wire.get("_collection"):
        items = [item["_value"] if "_value" in item else _reconstruct_one(item) for item in wire.get("items") or []]
        return _rebuilt_collection(items, str(wire.get("item_type") or ""))
    return _reconstruct_one(wire) if _is_object(wire) else wire


def _rebuilt_collection(items: list[Any], item_type: str) -> Collection:
    registered = _get_type_registry().resolve([item_type])
    if registered is None:
        registered = _common_base(items)
    return Collection._of(items, registered)


def _common_base(items: list[Any]) -> type:
    """Return the nearest type that all items share: what is left of a collection whose own type is not registered here."""
    bases = [base for base in type(items[0]).__mro__ if issubclass(base, DataObject)] if items else []
    return next((base for base in bases if all(isinstance(item, base) for item in items)), DataObject)


def _is_object(wire: dict[str, Any]) -> bool:
    return "metadata" in wire and "backend" in wire


def _serialise_one(obj: Any) -> dict[str, Any]:
    """Return the wire form of one stored object.

    Raises
    ------
    ValueError
        If it is not a data object, or is not stored anywhere (and is not an Artifact that lies in place).
    """
    if not isinstance(obj, DataObject):
        raise ValueError(f"Cannot serialise {type(obj).__name__}: it is not a DataObject.")
    ref = obj.storage_ref
    if ref is None and not (isinstance(obj, Artifact) and obj.file_path is not None):
        raise ValueError(
            f"Cannot serialise {type(obj).__name__}: storage_ref is None. Persist the object before it leaves the block "
            "(save(), persist_array(), or a flush directory)."
        )
    return {
        "backend": None if ref is None else ref.backend,
        "path": None if ref is None else ref.path,
        "format": None if ref is None else ref.format,
        "metadata": _wire_metadata(obj, ref),
    }


def _wire_metadata(obj: DataObject, ref: StorageReference | None) -> dict[str, Any]:
    foreign = obj._foreign or {}
    metadata: dict[str, Any] = {
        **{key: value for key, value in foreign.items() if key not in ("slots", "content_hash")},
        "type_chain": foreign.get("type_chain") or chain_of(type(obj)),
        "framework": obj.framework.model_dump(mode="json"),
        "meta": foreign.get("meta") if obj.meta is None else obj.meta.model_dump(mode="json"),
        "user": dict(obj.user),
        **type(obj).serialise_extra_metadata(obj),
    }
    if isinstance(obj, CompositeData):
        metadata["slots"] = {name: _serialise_one(child) for name, child in obj._slots.items()}
    if ref is not None and ref.content_hash:
        metadata["content_hash"] = ref.content_hash
    return metadata


def _reconstruct_one(payload: Any) -> Any:
    """Return the object that a wire form describes.

    Raises
    ------
    ValueError
        If the payload is not a dict or does not fit the type it names.
    """
    if not isinstance(payload, dict):
        raise ValueError(f"Cannot reconstruct an object from {type(payload).__name__}: the wire form is a dict.")
    metadata = payload.get("metadata") or {}
    chain = [str(name) for name in metadata.get("type_chain") or ()]
    cls: type[DataObject] = _get_type_registry().resolve(chain) or DataObject
    try:
        obj = cls(**_constructor_arguments(cls, payload, metadata))
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"Failed to reconstruct {cls.__name__} from payload: {error}") from error
    _remember_foreign_type(obj, chain, metadata)
    return obj


def _constructor_arguments(cls: type[DataObject], payload: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "framework": FrameworkMeta.model_validate(metadata.get("framework") or {}),
        "meta": _typed_meta(cls, metadata.get("meta")),
        "user": dict(metadata.get("user") or {}),
        "storage_ref": _reference(payload, metadata),
    }
    if issubclass(cls, CompositeData):
        arguments["slots"] = {name: _reconstruct_one(child) for name, child in (metadata.get("slots") or {}).items()}
    return {**arguments, **cls.reconstruct_extra_kwargs(metadata)}


def _reference(payload: dict[str, Any], metadata: dict[str, Any]) -> StorageReference | None:
    backend, path = payload.get("backend"), payload.get("path")
    if not backend or not path:
        return None
    return StorageReference(backend=backend, path=path, format=payload.get("format"), metadata=metadata)


def _typed_meta(cls: type[DataObject], meta: dict[str, Any] | None) -> Any:
    """Return the typed metadata. No metadata gives the defaults, or ``None`` where the model needs values that nobody has."""
    if cls.Meta is None:
        return None
    if not meta and any(field.is_required() for field in cls.Meta.model_fields.values()):
        return None
    return cls.Meta.model_validate(meta or {})


def _remember_foreign_type(obj: DataObject, chain: list[str], metadata: dict[str, Any]) -> None:
    """Keep what an ancestor class cannot hold, so that the next block that knows the type gets all of it."""
    if chain and chain[-1] != type(obj).__name__:
        logger.warning("Type %r is not registered here: its objects are handled as %s.", chain[-1], type(obj).__name__)
        obj._foreign = metadata

"""DataObject: what every value of a workflow is."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel

from scistudio.core.meta.changes import with_meta_changes
from scistudio.core.meta.framework import FrameworkMeta
from scistudio.core.storage.ref import StorageReference
from scistudio.core.types.signature import TypeSignature, same_registered_type
from scistudio.stability import stable

__all__ = ["DataObject", "FrameworkMeta", "TypeSignature", "same_registered_type"]

LARGE_READ_BYTES = 2 * 1024**3


@stable(since="0.3.1")
class DataObject:
    """A value that moves through a workflow: metadata, and a reference to its payload or the payload itself.

    Objects are immutable by convention: a block derives new ones.

    Parameters
    ----------
    framework
        Identity and descent; a fresh one when not given.
    meta
        Typed metadata, an instance of the class's ``Meta``.
    user
        Free metadata; must be JSON-serialisable.
    storage_ref
        Where the payload lives.
    """

    Meta: ClassVar[type[BaseModel] | None] = None
    """Model of the typed metadata; a subclass usually declares a nested class ``Meta(BaseModel)``."""
    ui_color: ClassVar[str | None] = None
    ui_ring_color: ClassVar[str | None] = None

    def __init__(
        self,
        *,
        framework: FrameworkMeta | None = None,
        meta: BaseModel | None = None,
        user: dict[str, Any] | None = None,
        storage_ref: StorageReference | None = None,
    ) -> None:
        self._framework = framework if framework is not None else FrameworkMeta()
        self._meta: Any = meta
        self._user = _checked_user(user)
        self._storage_ref = storage_ref
        self._transient_data: Any = None
        # The wire metadata of an object whose own class is not registered here (see ``serialization``).
        self._foreign: dict[str, Any] | None = None

    @property
    def framework(self) -> FrameworkMeta:
        """Identity and descent of this object."""
        return self._framework

    @property
    def meta(self) -> Any:
        """Typed metadata, or ``None``."""
        return self._meta

    @property
    def user(self) -> dict[str, Any]:
        """Free metadata: the dict itself."""
        return self._user

    @property
    def storage_ref(self) -> StorageReference | None:
        """Where the payload lives, or ``None``."""
        return self._storage_ref

    @storage_ref.setter
    def storage_ref(self, ref: StorageReference | None) -> None:
        self._storage_ref = ref

    @property
    def dtype_info(self) -> TypeSignature:
        """The type of this object, by name."""
        return TypeSignature.from_type(type(self))

    @property
    def _data(self) -> Any:
        """The payload in memory (block packages assign it)."""
        return self._transient_data

    @_data.setter
    def _data(self, data: Any) -> None:
        self._transient_data = data

    @_data.deleter
    def _data(self) -> None:
        self._transient_data = None

    # One descriptor under two names: tables are assigned as ``_arrow_table``.
    _arrow_table = _data

    def with_meta(self, **changes: Any) -> Self:
        """Return a copy with fields of ``meta`` replaced; it shares the payload and derives its identity from this one.

        Raises
        ------
        ValueError
            If there is no ``meta``, or a change does not fit it.
        """
        if self._meta is None:
            raise ValueError(f"This {type(self).__name__} has no meta: construct it with meta=… first.")
        changed = self._derived_copy()
        changed._meta = with_meta_changes(self._meta, **changes)
        return changed

    def _derived_copy(self) -> Self:
        """Return a shallow copy with an identity of its own; whatever a subclass added is carried over."""
        derived = copy.copy(self)
        derived._framework = self._framework.derive()
        derived._user = dict(self._user)
        return derived

    def to_memory(self) -> Any:
        """Return the whole payload.

        Raises
        ------
        ValueError
            If there is neither a reference nor a payload in memory.
        StorageReferenceInvalidError
            If the reference cannot be read.
        """
        if self._storage_ref is None:
            if self._transient_data is not None:
                return self.get_in_memory_data()
            raise ValueError("Cannot load data: no storage reference set.")
        self._warn_if_large()
        return _backend(self._storage_ref).read(self._storage_ref)

    def slice(self, *args: Any) -> Any:
        """Return a part of the stored payload; the arguments are those of its backend."""
        ref = self._require_ref("slice")
        return _backend(ref).slice(ref, *args)

    def iter_chunks(self, chunk_size: int) -> Iterator[Any]:
        """Yield the stored payload in pieces."""
        ref = self._require_ref("iterate over")
        yield from _backend(ref).iter_chunks(ref, chunk_size)

    def save(self, path: str | Path) -> StorageReference:
        """Write the payload to ``path`` with the backend of the type; an object already stored stays where it is."""
        if self.storage_ref is None:
            from scistudio.core.storage.persistence import write_object

            self._storage_ref = write_object(self, str(path))
        assert self._storage_ref is not None
        return self._storage_ref

    def get_in_memory_data(self) -> Any:
        """Return the payload in the form that the backend of this type writes."""
        if self._storage_ref is not None:
            return self.to_memory()
        if self._transient_data is None:
            raise ValueError(f"{type(self).__name__} has no in-memory data to persist.")
        return self._transient_data

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return what this type adds to the wire metadata. Override together with :meth:`reconstruct_extra_kwargs`."""
        return {}

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return the constructor arguments that :meth:`serialise_extra_metadata` put on the wire."""
        return {}

    def _require_ref(self, verb: str) -> StorageReference:
        ref = self.storage_ref
        if ref is None:
            raise ValueError(f"Cannot {verb} data: no storage reference set.")
        return ref

    def _estimated_size_bytes(self) -> int:
        """Return about how much memory the payload takes once read: at least what its file holds; 0 when not known without reading."""
        path = None if self._storage_ref is None else Path(self._storage_ref.path)
        return path.stat().st_size if path is not None and path.is_file() else 0

    def _warn_if_large(self) -> None:
        size_bytes = self._estimated_size_bytes()
        if size_bytes > LARGE_READ_BYTES:
            warnings.warn(
                f"Reading {type(self).__name__} whole takes about {size_bytes / 1024**3:.1f} GiB of memory; "
                "slice() and iter_chunks() read parts of it.",
                ResourceWarning,
                stacklevel=3,
            )

    def __repr__(self) -> str:
        where = f"at {self._storage_ref.path!r}" if self._storage_ref is not None else "in memory"
        return f"<{type(self).__name__} {self._framework.object_id[:8]} {where}>"


def _checked_user(user: dict[str, Any] | None) -> dict[str, Any]:
    try:
        json.dumps(user)
    except (TypeError, ValueError) as error:
        raise TypeError(f"DataObject user metadata must be JSON-serialisable: {error}") from error
    return dict(user or {})


def _backend(ref: StorageReference) -> Any:
    from scistudio.core.storage.backend_router import get_router

    return get_router().backend(ref)

"""Composites: a folder with a manifest, and each slot in the backend of its own type."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistudio.core.storage import content_hash
from scistudio.core.storage.backend_router import get_router
from scistudio.core.storage.errors import StorageReferenceInvalidError, reading
from scistudio.core.storage.persistence import has_payload, write_object
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.staging import staged

if TYPE_CHECKING:
    from scistudio.core.storage.base import StorageBackend
    from scistudio.core.types.base import DataObject
    from scistudio.core.types.composite import CompositeData

__all__ = ["CompositeStore"]

MANIFEST = "manifest.json"


class CompositeStore:
    """A folder ``{slot}/data.*`` with ``manifest.json``; paths in the manifest are relative, so a moved project still reads."""

    def write(self, data: Mapping[str, tuple[str, Any]], ref: StorageReference) -> StorageReference:
        """Write ``{slot: (backend name, payload)}``; the reference gets ``slot_names`` and ``content_hash``.

        Raises
        ------
        KeyError
            If a backend is not known.
        """
        with staged(ref.path) as staging:
            staging.mkdir()
            written = {name: _write_slot(staging, name, backend, payload) for name, (backend, payload) in data.items()}
            _write_manifest(staging, written)
        return _reference(ref.path, written)

    def write_object(self, obj: CompositeData, path: str) -> StorageReference:
        """Write a composite object: children in memory into the folder, children already stored or lying in place by reference.

        The children get references of their own, into the folder, once it has its name.
        """
        fresh: list[tuple[DataObject, StorageReference]] = []
        with staged(path) as staging:
            slots = _write_children(obj, staging, fresh)
        for child, ref in fresh:
            child.storage_ref = StorageReference(ref.backend, path + ref.path[len(str(staging)) :], ref.format, ref.metadata)
            child._transient_data = None
        return _reference(path, slots)

    def read(self, ref: StorageReference) -> dict[str, Any]:
        """Return ``{slot: payload}``."""
        return {name: _backend(slot).read(slot) for name, slot in self.slot_refs(ref, "read").items()}

    def slice(self, ref: StorageReference, *args: str) -> dict[str, Any]:
        """Return the payloads of some slots; names that do not exist are left out."""
        slots = self.slot_refs(ref, "slice")
        return {name: _backend(slots[name]).read(slots[name]) for name in args if name in slots}

    def iter_chunks(self, ref: StorageReference, chunk_size: int) -> Iterator[tuple[str, Any]]:
        """Yield ``(slot, payload)`` one by one, whatever the size."""
        for name, slot in self.slot_refs(ref, "iter_chunks").items():
            yield name, _backend(slot).read(slot)

    def get_metadata(self, ref: StorageReference) -> dict[str, Any]:
        """Return the names of the slots and of their backends."""
        slots = self.slot_refs(ref, "get_metadata")
        return {"slot_names": list(slots), "slot_backends": {name: slot.backend for name, slot in slots.items()}}

    def slot_ref(self, ref: StorageReference, name: str) -> StorageReference | None:
        """Return the reference of one slot, or ``None`` if there is none of that name."""
        return self.slot_refs(ref, "slice").get(name)

    def slot_refs(self, ref: StorageReference, operation: str = "read") -> dict[str, StorageReference]:
        """Return the references of all slots, by name."""
        folder = Path(ref.path)
        with reading(ref, operation, json.JSONDecodeError, UnicodeDecodeError):
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        try:
            # An absolute path, as older stores have it, replaces the folder in the join.
            return {
                name: StorageReference(slot["backend"], os.path.normpath(folder / slot["path"]), slot.get("format"), _hints(slot))
                for name, slot in manifest["slots"].items()
            }
        except (KeyError, TypeError, AttributeError) as error:
            raise StorageReferenceInvalidError(ref, reason="damaged", operation=operation, detail=f"{MANIFEST}: {error!r}") from error


def _write_slot(folder: Path, name: str, backend: str, payload: Any) -> StorageReference:
    target = StorageReference(backend, str(folder / _slot_file(name, backend, payload)), _format_of(payload))
    return get_router().get(backend).write(payload, target)


def _slot_file(name: str, backend: str, payload: Any) -> str:
    """Return the file of a slot in its folder.

    Raises
    ------
    ValueError
        If the name is no file name.
    """
    if not name or name in (".", "..", MANIFEST) or "/" in name or "\0" in name:
        raise ValueError(f"A slot cannot be called {name!r}: its name becomes a folder.")
    from scistudio.core.types import Text

    by_backend = {"zarr": ".zarr", "arrow": ".parquet", "composite": ""}
    of_file = ".txt" if isinstance(payload, str | Text) else ".bin"
    return f"{name}/data{by_backend.get(backend, of_file)}"


def _format_of(payload: Any) -> str | None:
    return "text" if isinstance(payload, str) else None


def _write_children(obj: CompositeData, folder: Path, fresh: list[tuple[DataObject, StorageReference]]) -> dict[str, StorageReference]:
    """Fill a folder with the children of a composite, and note in ``fresh`` what was written where."""
    from scistudio.core.types.composite import CompositeData

    folder.mkdir(parents=True)
    slots: dict[str, StorageReference] = {}
    for name, child in obj._slots.items():
        ref = _where(child)
        if ref is None and isinstance(child, CompositeData):
            inner = folder / _slot_file(name, "composite", child)
            ref = _reference(str(inner), _write_children(child, inner, fresh))
            fresh.append((child, ref))
        elif ref is None and has_payload(child):
            ref = write_object(child, str(folder / _slot_file(name, get_router().name_for(type(child)), child)))
            fresh.append((child, ref))
        if ref is not None:
            slots[name] = ref
    _write_manifest(folder, slots)
    return slots


def _backend(ref: StorageReference) -> StorageBackend:
    return get_router().backend(ref)


def _where(child: Any) -> StorageReference | None:
    """Return where a child lies: its reference, or its file if it is an Artifact in place."""
    file = getattr(child, "file_path", None)
    if child._storage_ref is None and file is not None:
        return StorageReference("filesystem", str(Path.cwd() / file))
    known: StorageReference | None = child._storage_ref
    return known


def _write_manifest(folder: Path, slots: Mapping[str, StorageReference]) -> None:
    """Write where the slots are, counted from the folder. Its temporary name is a sibling of the real one, so the way out is the same."""
    entries = {name: _entry(ref, folder) for name, ref in slots.items()}
    (folder / MANIFEST).write_text(json.dumps({"slots": entries}, indent=2), encoding="utf-8")


def _entry(ref: StorageReference, folder: Path) -> dict[str, Any]:
    entry = {"backend": ref.backend, "path": os.path.relpath(ref.path, folder), "format": ref.format}
    encoding = (ref.metadata or {}).get("encoding", "utf-8")
    return entry if encoding == "utf-8" else {**entry, "encoding": encoding}


def _hints(entry: dict[str, Any]) -> dict[str, Any] | None:
    return {"encoding": entry["encoding"]} if "encoding" in entry else None


def _reference(path: str, slots: Mapping[str, StorageReference]) -> StorageReference:
    metadata: dict[str, Any] = {"slot_names": list(slots)}
    combined = content_hash.of_slots({name: ref.content_hash for name, ref in slots.items()})
    if combined is not None:
        metadata["content_hash"] = combined
    return StorageReference("composite", path, "composite", metadata)

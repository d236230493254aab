"""One object to one file and back, for blocks that hand data to programs."""

from __future__ import annotations

import mimetypes
import shutil
from pathlib import Path
from typing import Any

from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.io.io_block import IOBlock, note_sources
from scistudio.blocks.registry.default import default_registry
from scistudio.blocks.registry.errors import MissingCapabilityError
from scistudio.blocks.registry.registry import BlockRegistry
from scistudio.core.storage.persistence import output_dir_or_temporary
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection


def materialise_to_file(
    obj: DataObject,
    dest_dir: str | Path,
    extension: str | None = None,
    *,
    filename_stem: str = "data",
    capability_id: str | None = None,
    registry: BlockRegistry | None = None,
) -> Path:
    """Write ``obj`` to ``dest_dir/<filename_stem><extension>`` and return the path.

    Without an extension it is the first one of the type's saver. A stored file of the same suffix is copied as it is:
    who edits the copy does not change the object.

    Raises
    ------
    LookupError
        No saver fits, or several.
    """
    registry = registry or default_registry()
    folder = Path(dest_dir)
    folder.mkdir(parents=True, exist_ok=True)
    stored = _stored_path(obj)
    if extension is None and isinstance(obj, Artifact) and stored is not None:
        extension = stored.suffix
    capability = None if extension is not None and capability_id is None else _saver(obj, extension, capability_id, registry)
    suffix = _dotted(extension) if extension is not None else capability.extensions[0] if capability else ""
    target = folder / f"{filename_stem}{suffix}"
    if stored is not None and capability_id is None and stored.suffix.lower() == suffix:
        return _copy(stored, target)
    capability = capability or _saver(obj, extension, None, registry)
    block = _block(capability, target, registry)
    block.save(Collection([obj], item_type=type(obj)), block.config)
    return target


def reconstruct_from_file(
    path: str | Path,
    target_type: type[DataObject],
    extension: str | None = None,
    *,
    capability_id: str | None = None,
    registry: BlockRegistry | None = None,
) -> Any:
    """Load one object of ``target_type`` from a file; an Artifact may be any file.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    LookupError
        No loader fits, or it gave another number of objects than one.
    """
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"There is no file {source}.")
    registry = registry or default_registry()
    try:
        capability = registry.find_loader_capability(target_type, extension or source.name, capability_id=capability_id)
    except MissingCapabilityError:
        if target_type is not Artifact:
            raise
        return Artifact(file_path=source, mime_type=mimetypes.guess_type(source.name)[0])
    block = _block(capability, source, registry)
    loaded = block.load(block.config, output_dir_or_temporary())
    items = list(loaded) if isinstance(loaded, Collection) else [loaded]
    if len(items) != 1:
        raise LookupError(f"{source} gave {len(items)} objects, where one is expected.")
    note_sources(items, str(source))
    return items[0]


def _stored_path(obj: DataObject) -> Path | None:
    """Return the file that an object already is; stored arrays and texts have formats of our own making."""
    if isinstance(obj, Artifact) and obj.file_path is not None:
        return Path(obj.file_path)
    reference = obj.storage_ref
    return Path(reference.path) if reference is not None and Path(reference.path).suffix else None


def _saver(obj: DataObject, extension: str | None, capability_id: str | None, registry: BlockRegistry) -> FormatCapability:
    if extension is not None or capability_id is not None:
        return registry.find_saver_capability(type(obj), extension, capability_id=capability_id)
    known = registry.list_format_capabilities(direction="save", data_type=type(obj))
    if not known:
        return registry.find_saver_capability(type(obj))  # raises, with what was asked
    return max(known, key=lambda item: (len(item.data_type.__mro__), item.is_default))


def _block(capability: FormatCapability, path: Path, registry: BlockRegistry) -> IOBlock:
    """Make the block of a capability, set to one path."""
    spec = registry.spec_of_capability(capability)
    params: dict[str, Any] = {"path": str(path), "capability_id": capability.id, "format_id": capability.format_id}
    properties = spec.config_schema.get("properties", {})
    if "core_type" in properties:
        params["core_type"] = capability.data_type.__name__
    if "overwrite" in properties:
        params["overwrite"] = True
    block = registry._resolve_class(spec)({"params": params})
    assert isinstance(block, IOBlock)  # only those declare capabilities
    return block


def _copy(source: Path, target: Path) -> Path:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
    return target


def _dotted(extension: str) -> str:
    return "" if not extension else (extension if extension.startswith(".") else f".{extension}").lower()

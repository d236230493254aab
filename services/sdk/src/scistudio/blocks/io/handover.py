"""Handing a file over to the block of a package or of the project that declares its format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.io.io_block import IOBlock, note_sources
from scistudio.blocks.io.simple_io import SimpleLoader
from scistudio.blocks.registry.default import default_registry
from scistudio.blocks.registry.errors import AmbiguousCapabilityError, MissingCapabilityError
from scistudio.blocks.registry.registry import BlockRegistry
from scistudio.core.types.collection import Collection


@dataclass(frozen=True)
class Handover:
    """A block chosen for a format, and what it is told."""

    block_class: type[IOBlock]
    params: dict[str, Any]

    @property
    def takes_lists(self) -> bool:
        """Whether the loader reads a list of paths itself, or one path a call."""
        return not issubclass(self.block_class, SimpleLoader) or self.block_class.load is not SimpleLoader.load

    def load(self, path: str | list[str]) -> Collection:
        """Read with the chosen loader."""
        from scistudio.core.storage.persistence import output_dir_or_temporary

        block = self.block_class({"params": {**self.params, "path": path}})
        loaded = block.load(block.config, output_dir_or_temporary())
        collection = loaded if isinstance(loaded, Collection) else Collection([loaded], item_type=type(loaded))
        note_sources(list(collection), path)
        return collection

    def save(self, obj: Any, path: Path) -> None:
        """Write one object with the chosen saver."""
        block = self.block_class({"params": {**self.params, "path": str(path)}})
        block.save(Collection([obj], item_type=type(obj)), block.config)


def loader_for(data_type: type, path: str, config: BlockConfig, registry: BlockRegistry | None = None) -> Handover:
    """Choose the loader of a type that is not a core type.

    Raises
    ------
    ValueError
        There is none, or several and none is the default.
    """
    return _choose("load", data_type, Path(path).name, config, registry or default_registry())


def saver_for(data_type: type, name: str | None, config: BlockConfig, registry: BlockRegistry | None = None) -> tuple[Handover, str]:
    """Choose the saver of a type that is not a core type, and the extension to use."""
    registry = registry or default_registry()
    chosen = _choose("save", data_type, name, config, registry)
    extensions = next(item.extensions for item in chosen.block_class.get_format_capabilities() if item.id == chosen.params["capability_id"])
    return chosen, extensions[0]


def _choose(direction: str, data_type: type, name: str | None, config: BlockConfig, registry: BlockRegistry) -> Handover:
    find = registry.find_loader_capability if direction == "load" else registry.find_saver_capability
    try:
        capability = find(data_type, name, format_id=config.get("format"), capability_id=config.get("capability_id"))
    except MissingCapabilityError as error:
        known = registry.list_format_capabilities(direction=direction, data_type=data_type)
        verb = "Load" if direction == "load" else "Save"
        raise ValueError(
            f"{verb}: no {direction} capability is registered for type '{data_type.__name__}'"
            + (f" and '{name}'; it has {_listed(item.id for item in known)}." if known else ".")
        ) from error
    except AmbiguousCapabilityError as error:
        raise ValueError(str(error)) from error
    spec = registry.spec_of_capability(capability)
    block_class = registry._resolve_class(spec)
    assert issubclass(block_class, IOBlock)  # only those declare capabilities
    params = {key: value for key, value in config.params.items() if key not in ("path", "core_type")}
    return Handover(block_class, {**params, "capability_id": capability.id, "format_id": capability.format_id})


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids))

"""Load: files into typed data."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, ClassVar

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.execution import progress
from scistudio.blocks.base.items import collect
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.io import core_types
from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.io.formats.catalog import Format, capabilities, extensions_of, format_for_name, formats_of
from scistudio.blocks.io.io_block import IOBlock
from scistudio.core.meta.framework import FrameworkMeta
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection


class LoadData(IOBlock):
    """Load files: tables, arrays, texts, any file as it is, and whatever types packages and the project read."""

    name: ClassVar[str] = "Load"
    type_name: ClassVar[str] = "load_data"
    description: ClassVar[str] = "Load files as typed data"
    ui_icon: ClassVar[str | None] = "folder-up"
    direction: ClassVar[str] = "input"
    input_ports: ClassVar[list[InputPort]] = []
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[DataObject])]
    format_capabilities: ClassVar[tuple[FormatCapability, ...]] = capabilities("load", "LoadData")
    dynamic_ports: ClassVar[dict[str, Any] | None] = core_types.dynamic_ports("output_port_mapping")
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "core_type": core_types.CORE_TYPE_FIELD,
            **core_types.OPTION_FIELDS,
            "decimal": {"type": "string", "title": "Decimal mark", "description": "Of numbers in a CSV; found out by default."},
            "header": {"type": ["boolean", "integer"], "title": "Header", "description": "Whether there is one, or its line's number."},
            "comment": {"type": "string", "title": "Comment mark", "description": "Begins lines before the header that are no data."},
            "na_values": {
                "type": "array",
                "items": {"type": "string"},
                "title": "Missing values",
                "description": "What stands for no value.",
            },
            "dtypes": {"type": "object", "title": "Column types", "description": "Column name to type: text, int, float, date …"},
        },
        "required": ["path", "core_type"],
    }

    def get_effective_output_ports(self) -> list[OutputPort]:
        """Return the port ``data`` with the type that the node is set to."""
        is_list = isinstance(self.config.get("path"), list)
        return [OutputPort(name="data", accepted_types=[core_types.port_type_of(self.config)], is_collection=is_list)]

    def load(self, config: BlockConfig, output_dir: str = "") -> DataObject | Collection:
        """Read the file or files that ``path`` names."""
        paths = _paths_of(config)
        data_type = core_types.type_of(config)
        _check_files(paths, data_type)
        if not core_types.is_core(data_type):
            return self._load_by_package(paths, data_type, config)
        readers = [self._format_of(Path(path), data_type, config) for path in paths]
        items = []
        for index, (path, format_) in enumerate(zip(paths, readers, strict=True)):
            items.append(self._auto_flush(_read(path, format_, config)))
            if len(paths) > 1:
                progress((index + 1) / len(paths), f"{index + 1} of {len(paths)} files")
        return Collection(items, item_type=data_type)

    def save(self, obj: Any, config: BlockConfig) -> None:
        """Refuse: this block reads."""
        raise TypeError("LoadData is a loader and does not save.")

    def _format_of(self, path: Path, data_type: type[DataObject], config: BlockConfig) -> Format:
        """Choose the format: by ``capability_id``, ``format``, or the suffix. An Artifact takes anything."""
        known = formats_of(data_type)
        capability_id, format_id = config.get("capability_id"), config.get("format")
        if capability_id:
            named = [item for item in known if f"core.{data_type.__name__.lower()}.{item.format_id}.load" == capability_id]
            if not named:
                ids = [f"core.{data_type.__name__.lower()}.{item.format_id}.load" for item in known]
                raise ValueError(f"LoadData: unknown capability_id {capability_id!r} for {data_type.__name__}; known are {ids}.")
            return named[0]
        if format_id:
            named = [item for item in known if item.format_id == str(format_id).lower()]
            if not named:
                ids = [item.format_id for item in known]
                raise ValueError(f"LoadData: unsupported format {format_id!r}; supported formats are {ids}.")
            return named[0]
        found = format_for_name(data_type, path.name)
        if found is None and data_type is Artifact:
            return known[0]
        if found is None:
            raise ValueError(
                f"LoadData(core_type='{data_type.__name__}') does not support extension '{path.suffix}'"
                f"{' (it is a folder)' if path.is_dir() else ''}. Supported extensions: {extensions_of(data_type)}"
            )
        return found

    def _load_by_package(self, paths: list[str], data_type: type[DataObject], config: BlockConfig) -> Collection:
        """Hand over to the block that declares the type's format."""
        from scistudio.blocks.io.handover import loader_for

        loader = loader_for(data_type, paths[0], config)
        if not loader.takes_lists and len(paths) > 1:
            items = [self._auto_flush(item) for path in paths for item in loader.load(path)]
            return collect(items, data_type)
        return loader.load(paths if isinstance(config.get("path"), list) else paths[0])


def _read(path: str, format_: Format, config: BlockConfig) -> DataObject:
    """Read one file; ``framework.source`` is the path as it was configured."""
    obj: DataObject = format_.reader()(Path(path).absolute(), config.params, framework=FrameworkMeta(source=path))
    return obj


def _paths_of(config: BlockConfig) -> list[str]:
    """Return the paths that a node is set to.

    Raises
    ------
    ValueError
        There is none, or an empty one.
    """
    path = config.get("path")
    if path is None:
        raise ValueError("LoadData requires a 'path' config field: choose a file.")
    paths = [path] if isinstance(path, str | os.PathLike) else path
    if not isinstance(paths, list | tuple) or not all(isinstance(item, str | os.PathLike) for item in paths):
        raise ValueError(f"LoadData: 'path' must be a path or a list of paths, got {path!r}.")
    if not paths:
        raise ValueError("LoadData: no file chosen: the list of paths is empty.")
    if not all(str(item).strip() for item in paths):
        raise ValueError("LoadData: empty path: choose a file.")
    return [str(item) for item in paths]


def _check_files(paths: list[str], data_type: type) -> None:
    """Refuse all paths that cannot be read, at once: a missing file, a broken link, a pipe."""
    missing = [path for path in paths if not Path(path).exists()]
    if missing:
        what = data_type.__name__.lower()
        broken = [path for path in missing if Path(path).is_symlink()]
        note = f" (a link to nowhere: {', '.join(broken)})" if broken else ""
        raise FileNotFoundError(f"LoadData: {what} source not found: {', '.join(missing)}{note}")
    for path in paths:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise ValueError(f"LoadData: {path} is neither a file nor a folder.")

"""Save: typed data into files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from blake3 import blake3

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.execution import progress
from scistudio.blocks.base.ports import InputPort, OutputPort, accepts
from scistudio.blocks.io import core_types
from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.io.formats.artifacts import SIDECAR_SUFFIX, sidecar_of
from scistudio.blocks.io.formats.catalog import Format, capabilities, extensions_of, format_for_name, formats_of
from scistudio.blocks.io.io_block import IOBlock
from scistudio.blocks.io.savers.targets import Destination
from scistudio.blocks.io.staging import Staging, staging
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection
from scistudio.core.types.text import Text

Write = Callable[[Any, Path], None]


class SaveData(IOBlock):
    """Save data to files. What exists is only replaced when ``overwrite`` says so; a refusal writes nothing at all."""

    name: ClassVar[str] = "Save"
    type_name: ClassVar[str] = "save_data"
    description: ClassVar[str] = "Save typed data to files"
    ui_icon: ClassVar[str | None] = "folder-down"
    ui_color: ClassVar[str | None] = "#b9e3a0"
    direction: ClassVar[str] = "output"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[DataObject])]
    output_ports: ClassVar[list[OutputPort]] = [
        OutputPort(name="path", accepted_types=[Text], required=False, description="The file or folder written")
    ]
    format_capabilities: ClassVar[tuple[FormatCapability, ...]] = capabilities("save", "SaveData")
    dynamic_ports: ClassVar[dict[str, Any] | None] = core_types.dynamic_ports("input_port_mapping")
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "core_type": core_types.CORE_TYPE_FIELD,
            "filename": {"type": "string", "default": "", "title": "File name", "description": "Within the folder that path names."},
            "overwrite": {"type": "boolean", "default": False, "title": "Replace existing files"},
            **core_types.OPTION_FIELDS,
        },
        "required": ["path", "core_type"],
    }

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self.written: list[Path] = []

    def get_effective_input_ports(self) -> list[InputPort]:
        """Return the port ``data`` with the type that the node is set to."""
        return [InputPort(name="data", accepted_types=[core_types.port_type_of(self.config)])]

    def load(self, config: BlockConfig, output_dir: str = "") -> DataObject:
        """Refuse: this block writes."""
        raise TypeError("SaveData is a saver and does not load.")

    def save(self, obj: Any, config: BlockConfig) -> None:
        """Write what arrived: one file for each item, all of them or none."""
        path = str(config.get("path") or "").strip()
        if not path:
            raise ValueError("SaveData requires a non-empty 'path' in config.params.")
        data_type = core_types.type_of(config)
        items = list(obj) if isinstance(obj, Collection) else [obj]
        _check_items(items, data_type)
        destination = Destination(str(config.get("path")), str(config.get("filename") or ""))
        if core_types.is_core(data_type):
            format_, extension = _choose_format(data_type, destination.telling_name(len(items)), config)
            write = _writer(format_, config)
        else:
            write, extension = self._package_writer(data_type, destination.telling_name(len(items)), config)
        self._write_staged(items, destination.targets(items, extension), write, config)

    def receipt(self, config: BlockConfig) -> Text:
        """Return the file written, or the folder of several, with sizes and hashes in ``user["files"]``."""
        shown = self.written[0] if len(self.written) == 1 else self.written[0].parent
        receipt = Text(content=str(shown), user={"files": [_described(path) for path in self.written]})
        self._auto_flush(receipt)
        return receipt

    def _write_staged(self, items: list[Any], targets: list[Path], write: Write, config: BlockConfig) -> None:
        _check_targets(targets, bool(config.get("overwrite")))
        with staging() as files:
            for index, (item, target) in enumerate(zip(items, targets, strict=True)):
                write(item, files.path_for(target))
                if isinstance(item, Artifact):
                    _stage_sidecar(item, target, files)
                if len(items) > 1:
                    progress((index + 1) / len(items), f"{index + 1} of {len(items)} files")
        self.written = targets

    def _package_writer(self, data_type: type[DataObject], name: str | None, config: BlockConfig) -> tuple[Write, str]:
        """Hand over to the block that declares the type's format; it writes a staged file of the same suffix."""
        from scistudio.blocks.io.handover import saver_for

        saver, extension = saver_for(data_type, name, config)
        return saver.save, extension


def _writer(format_: Format, config: BlockConfig) -> Write:
    write = format_.writer()
    return lambda item, path: write(item, path, config.params)


def _check_items(items: list[Any], data_type: type[DataObject]) -> None:
    if not items:
        raise ValueError("SaveData received an empty Collection; nothing to save.")
    for item in items:
        if not accepts([data_type], type(item)):
            raise ValueError(
                f"SaveData is set to core_type '{data_type.__name__}' but got {type(item).__name__}. "
                f"Set core_type to '{type(item).__name__}'."
            )


def _choose_format(data_type: type[DataObject], name: str | None, config: BlockConfig) -> tuple[Format, str]:
    """Choose by ``format``, ``capability_id``, the suffix of ``name``, else the first format of the type."""
    known = formats_of(data_type)
    format_id, capability_id = config.get("format"), config.get("capability_id")
    suffix = Path(name).suffix if name else ""
    found = format_for_name(data_type, name) if name else None
    if format_id:
        chosen = next((item for item in known if item.format_id == str(format_id).lower()), None)
        if chosen is None:
            raise ValueError(f"SaveData: unsupported format '{format_id}'; supported formats are {[item.format_id for item in known]}.")
    elif capability_id:
        ids = {f"core.{data_type.__name__.lower()}.{item.format_id}.save": item for item in known}
        chosen = ids.get(str(capability_id))
        if chosen is None:
            raise ValueError(f"SaveData: unknown capability_id '{capability_id}' for {data_type.__name__}; known are {list(ids)}.")
    elif data_type is Artifact:
        return known[0], ""
    elif suffix and found is None:
        raise ValueError(f"Unsupported {data_type.__name__} file extension '{suffix}'. Supported extensions: {extensions_of(data_type)}")
    else:
        chosen = found or known[0]
    matching = [extension for extension in chosen.extensions if name and name.lower().endswith(extension)]
    return chosen, matching[0] if matching else chosen.extensions[0]


def _check_targets(targets: list[Path], overwrite: bool) -> None:
    existing = [str(target) for target in targets if target.exists() or target.is_symlink()]
    if existing and not overwrite:
        listed = ", ".join(f"'{path}'" for path in existing)
        raise ValueError(f"SaveData refuses to overwrite existing output {listed}. Set 'overwrite: true', or another path.")


def _stage_sidecar(item: Artifact, target: Path, files: Staging) -> None:
    """Put what is known of an Artifact beside its copy."""
    sidecar = files.path_for(target.with_name(target.name + SIDECAR_SUFFIX))
    sidecar.write_text(json.dumps(sidecar_of(item), indent=2, ensure_ascii=False), encoding="utf-8")


def _described(path: Path) -> dict[str, Any]:
    """Return path, size and, for a file, the hash of what was written."""
    if path.is_dir():
        return {"path": str(path), "size_bytes": sum(file.stat().st_size for file in path.rglob("*") if file.is_file())}
    digest = blake3()
    digest.update_mmap(path)
    return {"path": str(path), "size_bytes": path.stat().st_size, "blake3": digest.hexdigest()}

"""The base class of blocks that read or write files."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Literal

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.execution import scratch_dir
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.io.capabilities import FormatCapability, matching_suffix, normalise_extension
from scistudio.core.storage import flush_context
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection
from scistudio.core.types.text import Text


class IOBlock(Block):
    """A loader (``direction = "input"``) or a saver (``"output"``) of files.

    A loader implements ``load``, a saver ``save``. ``format_capabilities`` says which formats it knows;
    ``supported_extensions`` (``{".ome.tif": "ome_tiff"}``) is the older way to say so.
    """

    name: ClassVar[str] = "IO Block"
    description: ClassVar[str] = "Read or write files"
    subcategory: ClassVar[str] = "io"
    direction: ClassVar[str] = "input"
    format_capabilities: ClassVar[tuple[FormatCapability, ...]] = ()
    supported_extensions: ClassVar[dict[str, str]] = {}

    input_ports: ClassVar[list[InputPort]] = [InputPort(name="data", accepted_types=[DataObject], required=False)]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="data", accepted_types=[DataObject])]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "path": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "title": "Path",
                "ui_priority": 0,
                "ui_widget": "file_browser",
            }
        },
        "required": ["path"],
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.direction == "input" and cls.input_ports is IOBlock.input_ports:
            cls.input_ports = []

    @abstractmethod
    def load(self, config: BlockConfig, output_dir: str = "") -> DataObject | Collection:
        """Read what ``config`` names: in memory, or written to ``output_dir`` and only referenced."""

    @abstractmethod
    def save(self, obj: Any, config: BlockConfig) -> None:
        """Write what arrived, usually a Collection."""

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Load and return the data, or save it and return a receipt: the path as a text."""
        if self.direction == "output":
            return self._run_save(inputs, config)
        ports = self.get_effective_output_ports()
        loaded = self.load(config, flush_context.get_output_dir() or str(scratch_dir()))
        collection = loaded if isinstance(loaded, Collection) else Collection([loaded], item_type=type(loaded))
        note_sources(list(collection), config.get("path"))
        flushed = [self._auto_flush(item) for item in collection]
        return {ports[0].name if ports else "data": Collection(flushed, item_type=collection.item_type)}

    def _run_save(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        ports = self.get_effective_input_ports()
        port = ports[0].name if ports else "data"
        if inputs.get(port) is None:
            raise ValueError(f"IOBlock(output) requires '{port}' input")
        self.save(inputs[port], config)
        return {self._receipt_port(): Collection([self.receipt(config)], item_type=Text)}

    def _receipt_port(self) -> str:
        """Return the class's own first output port, else ``path``."""
        is_inherited = self.output_ports is IOBlock.output_ports
        return self.output_ports[0].name if self.output_ports and not is_inherited else "path"

    def receipt(self, config: BlockConfig) -> Text:
        """Return what a saver answers with."""
        receipt = Text(content=str(config.get("path")))
        self._auto_flush(receipt)
        return receipt

    @classmethod
    def get_format_capabilities(cls) -> tuple[FormatCapability, ...]:
        """Return the declared capabilities, or those that follow from ``supported_extensions``."""
        return tuple(cls.format_capabilities) or cls._capabilities_of_extensions()

    @classmethod
    def _capabilities_of_extensions(cls) -> tuple[FormatCapability, ...]:
        """Make one capability a format id."""
        by_format: dict[str, list[str]] = {}
        for extension, format_id in cls.supported_extensions.items():
            by_format.setdefault(format_id, []).append(normalise_extension(extension))
        direction: Literal["load", "save"] = "load" if cls.direction == "input" else "save"
        return tuple(
            FormatCapability(
                id=f"{cls.__module__}.{cls.__name__}.{direction}.{format_id}".lower(),
                direction=direction,
                data_type=cls._handled_type(),
                format_id=format_id,
                extensions=tuple(extensions),
                label=format_id,
                block_type=cls.__name__,
                handler=direction,
                is_synthesized=True,
            )
            for format_id, extensions in by_format.items()
        )

    @classmethod
    def _handled_type(cls) -> type:
        """Return the type of the first port on the data's side."""
        ports: list[Any] = list(cls.output_ports if cls.direction == "input" else cls.input_ports)
        return ports[0].accepted_types[0] if ports and ports[0].accepted_types else DataObject

    def _detect_format(self, path: str | Path) -> str | None:
        """Return the format id that the name's suffix stands for; the longest compound suffix decides."""
        known = {normalise_extension(extension): format_id for extension, format_id in self.supported_extensions.items()}
        suffix = matching_suffix(Path(path).name, known)
        return None if suffix is None else known[suffix]


def note_sources(items: list[Any], path: Any) -> None:
    """Record as ``framework.source`` which file each item came from, where the loader did not say it."""
    paths = list(path) if isinstance(path, list | tuple) else [path] * len(items)
    if len(paths) != len(items):
        return
    for item, source in zip(items, paths, strict=True):
        if isinstance(item, DataObject) and not item.framework.source and isinstance(source, str | os.PathLike):
            item._framework = item.framework.model_copy(update={"source": str(source)})

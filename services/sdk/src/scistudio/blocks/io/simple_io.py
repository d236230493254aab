"""Loaders and savers of one format: name the format, write one method."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.ports import InputPort, OutputPort, accepts
from scistudio.blocks.io.capabilities import CapabilityDirection, FormatCapability, MetadataFidelity
from scistudio.blocks.io.io_block import IOBlock
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection


class SimpleIODeclarationError(TypeError):
    """A simple loader or saver that does not say what it reads or writes."""


class _SimpleIO(IOBlock):
    """What the two have in common: one format, declared by class attributes."""

    format_id: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]
    metadata_fidelity: ClassVar[MetadataFidelity] = MetadataFidelity()

    _type_attribute: ClassVar[str]
    _handler: ClassVar[str]

    @classmethod
    def _declared(cls, name: str) -> Any:
        value = getattr(cls, name, None)
        if not value:
            raise SimpleIODeclarationError(f"{cls.__name__} must define the class attribute '{name}'.")
        return value

    @classmethod
    def _declared_type(cls) -> type:
        declared = cls._declared(cls._type_attribute)
        if not isinstance(declared, type) or not issubclass(declared, DataObject):
            raise SimpleIODeclarationError(f"{cls.__name__}.{cls._type_attribute} must be a DataObject class, got {declared!r}.")
        return declared

    @classmethod
    def _handled_type(cls) -> type:
        return cls._declared_type()

    @classmethod
    def get_format_capabilities(cls) -> tuple[FormatCapability, ...]:
        """Return the declared capabilities, or the one that follows from the class attributes."""
        if cls.format_capabilities:
            return tuple(cls.format_capabilities)
        direction = CapabilityDirection.LOAD if cls.direction == "input" else CapabilityDirection.SAVE
        format_id = cls._declared("format_id")
        capability = FormatCapability(
            id=f"{cls.__module__}.{cls.__name__}.{direction}.{format_id}".lower(),
            direction=direction,
            data_type=cls._declared_type(),
            format_id=format_id,
            extensions=tuple(cls._declared("extensions")),
            label=format_id.upper().replace("_", " ").replace("-", " "),
            block_type=cls.__name__,
            handler=cls._handler,
            metadata_fidelity=cls.metadata_fidelity,
            is_synthesized=True,
        )
        return (capability,)


def _path_of(config: BlockConfig) -> Path:
    """Return the one path of a simple loader or saver."""
    path = config.get("path")
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ValueError(f"'path' must be one non-empty path, got {path!r}.")
    return Path(path)


class SimpleLoader(_SimpleIO):
    """Reads one format: define ``output_type``, ``format_id``, ``extensions`` and ``load_file``."""

    direction: ClassVar[str] = "input"
    output_type: ClassVar[type[DataObject]]
    _type_attribute: ClassVar[str] = "output_type"
    _handler: ClassVar[str] = "load_file"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = cls.__dict__.get("output_type")
        if declared is not None and "output_ports" not in cls.__dict__:
            cls.output_ports = [OutputPort(name="data", accepted_types=[declared])]

    @abstractmethod
    def load_file(self, path: Path, config: dict[str, Any]) -> DataObject:
        """Read one file. ``config`` holds the node's parameters."""

    def load(self, config: BlockConfig, output_dir: str = "") -> DataObject | Collection:
        """Read the one file that ``path`` names."""
        return self.load_file(_path_of(config), dict(config.params))

    def save(self, obj: Any, config: BlockConfig) -> None:
        """Refuse: this block reads."""
        raise TypeError(f"{type(self).__name__} is a loader and does not save.")


class SimpleSaver(_SimpleIO):
    """Writes one format: define ``input_type``, ``format_id``, ``extensions`` and ``save_file``."""

    direction: ClassVar[str] = "output"
    input_type: ClassVar[type[DataObject]]
    output_ports: ClassVar[list[OutputPort]] = []
    _type_attribute: ClassVar[str] = "input_type"
    _handler: ClassVar[str] = "save_file"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = cls.__dict__.get("input_type")
        if declared is not None and "input_ports" not in cls.__dict__:
            cls.input_ports = [InputPort(name="data", accepted_types=[declared])]

    @abstractmethod
    def save_file(self, obj: Any, path: Path, config: dict[str, Any]) -> None:
        """Write one object to ``path``. ``config`` holds the node's parameters."""

    def save(self, obj: Any, config: BlockConfig) -> None:
        """Write the one object that arrived."""
        self.save_file(self._single(obj), _path_of(config), dict(config.params))

    def load(self, config: BlockConfig, output_dir: str = "") -> DataObject | Collection:
        """Refuse: this block writes."""
        raise TypeError(f"{type(self).__name__} is a saver and does not load.")

    def _single(self, obj: Any) -> Any:
        """Return the only item of what arrived."""
        if isinstance(obj, Collection):
            if len(obj) != 1:
                raise ValueError(f"{type(self).__name__} saves one object, got a Collection of {len(obj)}.")
            obj = obj[0]
        if not accepts([self._declared_type()], type(obj)):
            raise TypeError(f"{type(self).__name__} saves {self._declared_type().__name__}, got {type(obj).__name__}.")
        return obj

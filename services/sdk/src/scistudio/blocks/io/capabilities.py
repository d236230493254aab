"""What a loader or saver declares about the formats it knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scistudio.core.types.base import DataObject


class CapabilityValidationError(ValueError):
    """A declaration of formats that cannot be taken."""


class InvalidFormatCapabilityError(CapabilityValidationError):
    """A blank field, a wrong direction or type, or a lossless format without a partner to read it back."""


class InvalidExtensionError(CapabilityValidationError):
    """An extension that is none."""


class InvalidMetadataFidelityError(CapabilityValidationError):
    """A fidelity level that does not fit the fields it names."""


class CapabilityDirection(StrEnum):
    """Whether a format is read or written."""

    LOAD = "load"
    SAVE = "save"


class MetadataFidelityLevel(StrEnum):
    """How much besides the values survives, from least to most."""

    PIXEL_ONLY = "pixel_only"
    TYPED_META = "typed_meta"
    FORMAT_SPECIFIC = "format_specific"
    LOSSLESS = "lossless"


def _text_tuple(name: str, values: Any) -> tuple[str, ...]:
    """Return the stripped, distinct strings of an iterable that is not itself a string."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidMetadataFidelityError(f"MetadataFidelity.{name} must be a list of field names, got {values!r}.")
    cleaned = [value.strip() if isinstance(value, str) else "" for value in values]
    if not all(cleaned):
        raise InvalidMetadataFidelityError(f"MetadataFidelity.{name} holds a blank field name.")
    return tuple(dict.fromkeys(cleaned))


@dataclass(frozen=True)
class MetadataFidelity:
    """What of the metadata a format keeps: fields of the type's ``Meta``, and fields of the format's own."""

    level: str = MetadataFidelityLevel.PIXEL_ONLY
    typed_meta_reads: tuple[str, ...] = ()
    typed_meta_writes: tuple[str, ...] = ()
    format_metadata_reads: tuple[str, ...] = ()
    format_metadata_writes: tuple[str, ...] = ()
    notes: str | None = None

    def __post_init__(self) -> None:
        try:
            level = MetadataFidelityLevel(self.level)
        except ValueError as error:
            known = [item.value for item in MetadataFidelityLevel]
            raise InvalidMetadataFidelityError(f"Unknown metadata fidelity level {self.level!r}; expected one of {known}.") from error
        object.__setattr__(self, "level", level)
        for name in ("typed_meta_reads", "typed_meta_writes", "format_metadata_reads", "format_metadata_writes"):
            object.__setattr__(self, name, _text_tuple(name, getattr(self, name)))
        self._check_level(level)

    def _check_level(self, level: MetadataFidelityLevel) -> None:
        """A level must name the fields that it promises, and the lowest promises none."""
        if level is MetadataFidelityLevel.PIXEL_ONLY and (self.typed_meta_fields or self.format_metadata_fields):
            raise InvalidMetadataFidelityError("Fidelity 'pixel_only' names no metadata fields.")
        if level is MetadataFidelityLevel.TYPED_META and not self.typed_meta_fields:
            raise InvalidMetadataFidelityError("Fidelity 'typed_meta' must name the typed metadata fields that it keeps.")
        if level is MetadataFidelityLevel.FORMAT_SPECIFIC and not self.format_metadata_fields:
            raise InvalidMetadataFidelityError("Fidelity 'format_specific' must name the format metadata fields that it keeps.")

    @property
    def typed_meta_fields(self) -> tuple[str, ...]:
        """Fields of ``Meta`` that are read or written."""
        return tuple(dict.fromkeys(self.typed_meta_reads + self.typed_meta_writes))

    @property
    def format_metadata_fields(self) -> tuple[str, ...]:
        """Fields of the format that are read or written."""
        return tuple(dict.fromkeys(self.format_metadata_reads + self.format_metadata_writes))

    def validate_typed_meta_fields(self, data_type: type) -> None:
        """Check that the named fields exist on ``data_type.Meta``.

        Raises
        ------
        InvalidMetadataFidelityError
            Naming those that do not.
        """
        meta = getattr(data_type, "Meta", None)
        known = set(getattr(meta, "model_fields", {}))
        unknown = sorted(set(self.typed_meta_fields) - known)
        if unknown:
            raise InvalidMetadataFidelityError(f"{data_type.__name__}.Meta has no fields {unknown}; it has {sorted(known)}.")


def normalise_extension(extension: Any) -> str:
    """Return ``.tif`` for ``TIF``, ``tif`` or ``.TIF``.

    Raises
    ------
    InvalidExtensionError
        It is empty, a single dot, or holds a path separator.
    """
    if not isinstance(extension, str):
        raise InvalidExtensionError(f"An extension must be a string, got {extension!r}.")
    bare = extension.strip().lower()
    if not bare.strip(".") or "/" in bare or "\\" in bare:
        raise InvalidExtensionError(f"{extension!r} is no file extension.")
    return bare if bare.startswith(".") else f".{bare}"


def normalise_extensions(extensions: Any) -> tuple[str, ...]:
    """Return the distinct normal forms of ``extensions``, in order."""
    if isinstance(extensions, str) or not isinstance(extensions, Iterable):
        raise InvalidExtensionError(f"Extensions must be a list of strings, got {extensions!r}.")
    normal = tuple(dict.fromkeys(normalise_extension(extension) for extension in extensions))
    if not normal:
        raise InvalidExtensionError("A format needs at least one extension.")
    return normal


@dataclass(frozen=True)
class FormatCapability:
    """One format that a block reads or writes for one type of data.

    Parameters
    ----------
    id
        Unique over all packages, at least three parts: ``scistudio-blocks-imaging.image.tiff.load``.
    handler
        Name of the block's method that does it.
    is_default
        Preferred where several fit; at most one for a direction, type and extension.
    roundtrip_group
        Joins the loader and the saver of one format.
    """

    id: str
    direction: str
    data_type: type
    format_id: str
    extensions: tuple[str, ...]
    label: str
    block_type: str
    handler: str
    is_default: bool = False
    priority: int = 0
    roundtrip_group: str | None = None
    metadata_fidelity: MetadataFidelity = field(default_factory=MetadataFidelity)
    is_synthesized: bool = False

    def __post_init__(self) -> None:
        for name in ("id", "format_id", "label", "block_type", "handler"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise InvalidFormatCapabilityError(f"FormatCapability.{name} must be a non-blank string, got {value!r}.")
            object.__setattr__(self, name, value.strip())
        object.__setattr__(self, "format_id", self.format_id.lower())
        object.__setattr__(self, "direction", self._checked_direction())
        object.__setattr__(self, "extensions", normalise_extensions(self.extensions))
        self._check_type_and_fidelity()

    def _checked_direction(self) -> CapabilityDirection:
        try:
            return CapabilityDirection(self.direction)
        except ValueError as error:
            raise InvalidFormatCapabilityError(f"FormatCapability.direction must be 'load' or 'save', got {self.direction!r}.") from error

    def _check_type_and_fidelity(self) -> None:
        if not isinstance(self.data_type, type) or not issubclass(self.data_type, DataObject):
            raise InvalidFormatCapabilityError(f"FormatCapability.data_type must be a DataObject class, got {self.data_type!r}.")
        if self.metadata_fidelity.level == MetadataFidelityLevel.LOSSLESS and not (self.roundtrip_group or "").strip():
            raise InvalidFormatCapabilityError("A lossless capability needs a roundtrip_group: the partner that reads it back.")
        self.metadata_fidelity.validate_typed_meta_fields(self.data_type)

    @property
    def normalized_extensions(self) -> tuple[str, ...]:
        """The extensions in their normal form."""
        return self.extensions

    @property
    def migration_scaffold(self) -> bool:
        """Whether the capability was made from an older declaration."""
        return self.is_synthesized


def matching_suffix(name: str, suffixes: Iterable[str]) -> str | None:
    """Return the longest of ``suffixes`` that ``name`` ends with, whatever its case: ``.ome.tif`` before ``.tif``."""
    lowered = name.lower()
    return max((suffix for suffix in suffixes if lowered.endswith(suffix)), key=len, default=None)

"""Which formats the core types are read from and written to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

from scistudio.blocks.io.capabilities import FormatCapability, matching_suffix
from scistudio.core.types.array import Array
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.dataframe import DataFrame
from scistudio.core.types.series import Series
from scistudio.core.types.text import Text

_FORMATS = "scistudio.blocks.io.formats"
_PARQUET = (".parquet", ".pq")
_TEXT = (".txt", ".log", ".md", ".markdown", ".html", ".htm", ".xml", ".yaml", ".yml", ".toml", ".json")


@dataclass(frozen=True)
class Format:
    """One format of one core type; ``read`` and ``write`` name functions, so that their libraries load when needed."""

    data_type: type[DataObject]
    format_id: str
    extensions: tuple[str, ...]
    read: str
    write: str

    def reader(self) -> Any:
        """Return the function that reads it."""
        return resolve_name(f"{_FORMATS}.{self.read}")

    def writer(self) -> Any:
        """Return the function that writes it."""
        return resolve_name(f"{_FORMATS}.{self.write}")


FORMATS = (
    Format(Array, "npy", (".npy",), "arrays:read_npy", "arrays:write_npy"),
    Format(Array, "npz", (".npz",), "arrays:read_npz", "arrays:write_npz"),
    Format(Array, "zarr", (".zarr",), "arrays:read_zarr", "arrays:write_zarr"),
    Format(DataFrame, "csv", (".csv",), "tables:read_delimited", "tables:write_delimited"),
    Format(DataFrame, "tsv", (".tsv",), "tables:read_delimited", "tables:write_delimited"),
    Format(DataFrame, "parquet", _PARQUET, "tables:read_parquet", "tables:write_parquet"),
    Format(DataFrame, "json", (".json",), "tables:read_json", "tables:write_json"),
    Format(Series, "csv", (".csv",), "tables:read_series_delimited", "tables:write_delimited"),
    Format(Series, "tsv", (".tsv",), "tables:read_series_delimited", "tables:write_delimited"),
    Format(Series, "parquet", _PARQUET, "tables:read_series_parquet", "tables:write_parquet"),
    Format(Text, "text", _TEXT, "texts:read_text", "texts:write_text"),
    Format(Artifact, "binary", (".bin", ".dat"), "artifacts:read_artifact", "artifacts:write_artifact"),
    Format(Artifact, "pdf", (".pdf",), "artifacts:read_artifact", "artifacts:write_artifact"),
    Format(Artifact, "png", (".png",), "artifacts:read_artifact", "artifacts:write_artifact"),
    Format(Artifact, "jpeg", (".jpg", ".jpeg"), "artifacts:read_artifact", "artifacts:write_artifact"),
    Format(Artifact, "tiff", (".tif", ".tiff"), "artifacts:read_artifact", "artifacts:write_artifact"),
)
CORE_TYPES: dict[str, type[DataObject]] = {kind.__name__: kind for kind in dict.fromkeys(item.data_type for item in FORMATS)}


def formats_of(data_type: type) -> list[Format]:
    """Return the formats of a core type; the first is the one it is saved in when nothing else is said."""
    return [item for item in FORMATS if item.data_type is data_type]


def extensions_of(data_type: type) -> list[str]:
    """Return all extensions of a core type."""
    return [extension for item in formats_of(data_type) for extension in item.extensions]


def format_for_name(data_type: type, name: str) -> Format | None:
    """Return the format that the suffix of a file name stands for."""
    suffix = matching_suffix(name, extensions_of(data_type))
    return next((item for item in formats_of(data_type) if suffix in item.extensions), None)


@cache
def capabilities(direction: str, block_type: str) -> tuple[FormatCapability, ...]:
    """Return the declarations of the core formats for the block that reads or writes them."""
    return tuple(
        FormatCapability(
            id=f"core.{item.data_type.__name__.lower()}.{item.format_id}.{direction}",
            direction=direction,
            data_type=item.data_type,
            format_id=item.format_id,
            extensions=item.extensions,
            label=item.format_id.upper(),
            block_type=block_type,
            handler=direction,
            roundtrip_group=f"core.{item.data_type.__name__.lower()}.{item.format_id}",
        )
        for item in FORMATS
    )

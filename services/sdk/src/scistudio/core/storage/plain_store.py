"""Zarr v3 stores of the simplest kind, read and written directly (see ``array_store``)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scistudio.core.storage.array_store import ATTRIBUTE, COMPLETE, COMPRESSION_LEVEL, ArrayLayout, known_axes, unit_path
from scistudio.core.storage.chunking import Box, box_shape, chunk_box, chunks_touched, intersection, within
from scistudio.core.storage.parallel import for_each

if TYPE_CHECKING:
    import numpy as np

_NUMBERS = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905
)
_GRID = "regular"
_SEPARATORS = frozenset("/.")


def holds(dtype: np.dtype[Any]) -> bool:
    """Say whether a plain store can hold this element type."""
    return dtype.name in _NUMBERS


@dataclass
class PlainStore:
    """A folder with ``zarr.json`` and one file a chunk."""

    path: Path
    layout: ArrayLayout
    separator: str = "/"
    compressed: bool = True
    fill_value: Any = 0
    complete: bool = False
    _folders: set[Path] = field(default_factory=set)

    @classmethod
    def create(cls, path: Path, layout: ArrayLayout) -> Self:
        """Make the folder; the metadata follows when the store is finished."""
        path.mkdir(parents=True)
        return cls(path, layout)

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open a store, or return ``None`` when it is not a plain one.

        Raises
        ------
        ValueError
            If its metadata is no JSON.
        """
        try:
            document = json.loads((path / "zarr.json").read_bytes())
        except FileNotFoundError:
            return None
        return cls._from_document(path, document) if _is_plain(document) else None

    @classmethod
    def _from_document(cls, path: Path, document: dict[str, Any]) -> Self:
        import numpy as np

        attributes = document.get("attributes") or {}
        fill = document["fill_value"]
        axes = attributes.get("axes") or document.get("dimension_names")
        layout = ArrayLayout(
            tuple(document["shape"]),
            np.dtype(document["data_type"]).newbyteorder("<"),
            tuple(document["chunk_grid"]["configuration"]["chunk_shape"]),
            axes=known_axes(axes, len(document["shape"])),
        )
        return cls(
            path,
            layout,
            separator=_separator(document),
            compressed=len(document["codecs"]) == 2,
            fill_value=complex(*fill) if isinstance(fill, list) else fill,
            complete=attributes.get(ATTRIBUTE) == COMPLETE,
        )

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Return a copy of a part; only the chunks it touches are read.

        Raises
        ------
        ValueError
            If a chunk that was written is not there, or cannot be decompressed.
        """
        import numpy as np

        values = np.empty(box_shape(box), dtype=self.layout.dtype.newbyteorder("="))
        if not values.size:
            return values

        def copy_chunk(index: tuple[int, ...]) -> None:
            whole = chunk_box(index, self.layout.shape, self.layout.chunk_shape)
            part = intersection(box, whole)
            chunk = self._read_chunk(index)
            values[within(part, box)] = self.fill_value if chunk is None else chunk[within(part, whole)]

        for_each(copy_chunk, chunks_touched(box, self.layout.chunk_shape), values.nbytes)
        return values

    def write_unit(self, index: tuple[int, ...], values: np.ndarray[Any, Any]) -> None:
        """Write one chunk, padded to its full shape at the array's edge."""
        import numpy as np
        import pyarrow as pa

        chunk = np.ascontiguousarray(values, dtype=self.layout.dtype)
        if chunk.shape != self.layout.chunk_shape:
            chunk = np.zeros(self.layout.chunk_shape, dtype=self.layout.dtype)
            chunk[tuple(slice(0, size) for size in values.shape)] = values
        file = unit_path(self.path, index, self.separator)
        if file.parent not in self._folders:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(file.parent)
        with file.open("wb") as stream:
            stream.write(pa.Codec("zstd", compression_level=COMPRESSION_LEVEL).compress(pa.py_buffer(chunk)))

    def has_unit(self, index: tuple[int, ...]) -> bool:
        """Say whether a chunk was written."""
        return unit_path(self.path, index, self.separator).is_file()

    def finish(self, *, complete: bool) -> None:
        """Write the metadata: the store exists from now on."""
        layout = self.layout
        document = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(layout.shape),
            "data_type": layout.dtype.name,
            "chunk_grid": {"name": _GRID, "configuration": {"chunk_shape": list(layout.chunk_shape)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": _zero(layout.dtype),
            "codecs": [_bytes_codec(layout.dtype), {"name": "zstd", "configuration": {"level": COMPRESSION_LEVEL, "checksum": False}}],
            "attributes": {**layout.attributes, **({ATTRIBUTE: COMPLETE} if complete else {})},
            "storage_transformers": [],
        }
        if layout.axes is not None:
            document["dimension_names"] = list(layout.axes)
        (self.path / "zarr.json").write_text(json.dumps(document, indent=2))

    def _read_chunk(self, index: tuple[int, ...]) -> np.ndarray[Any, Any] | None:
        import numpy as np
        import pyarrow as pa

        file = unit_path(self.path, index, self.separator)
        try:
            stored = file.read_bytes()
        except FileNotFoundError:
            if self.complete:
                raise ValueError(f"chunk {file.relative_to(self.path)} is missing") from None
            return None
        size_bytes = prod(self.layout.chunk_shape) * self.layout.dtype.itemsize
        raw: Any = pa.Codec("zstd").decompress(stored, size_bytes) if self.compressed else stored
        if len(raw) != size_bytes:
            raise ValueError(f"chunk {file.relative_to(self.path)} holds {len(raw)} bytes instead of {size_bytes}")
        return np.frombuffer(raw, dtype=self.layout.dtype).reshape(self.layout.chunk_shape)


def _is_plain(document: Any) -> bool:
    """Say whether a ``zarr.json`` describes a store of the kind that this module reads."""
    if not isinstance(document, dict) or not isinstance(document.get("data_type"), str):
        return False
    return (
        (document.get("zarr_format"), document.get("node_type")) == (3, "array")
        and document["data_type"] in _NUMBERS
        and _name(document.get("chunk_grid")) == _GRID
        and _name(document.get("chunk_key_encoding")) == "default"
        and _separator(document) in _SEPARATORS
        and not document.get("storage_transformers")
        and isinstance(document.get("fill_value"), bool | int | float | list)
        and _has_plain_codecs(document.get("codecs"))
    )


def _name(part: Any) -> str | None:
    return part.get("name") if isinstance(part, dict) else None


def _has_plain_codecs(codecs: Any) -> bool:
    if not isinstance(codecs, list) or [_name(codec) for codec in codecs] not in (["bytes"], ["bytes", "zstd"]):
        return False
    return bool((codecs[0].get("configuration") or {}).get("endian", "little") == "little")


def _separator(document: dict[str, Any]) -> str:
    return str((document["chunk_key_encoding"].get("configuration") or {}).get("separator", "/"))


def _bytes_codec(dtype: np.dtype[Any]) -> dict[str, Any]:
    return {"name": "bytes"} if dtype.itemsize == 1 else {"name": "bytes", "configuration": {"endian": "little"}}


def _zero(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "c":
        return [0.0, 0.0]
    return {"b": False, "f": 0.0}.get(dtype.kind, 0)

"""Hashes of content: what a value *is*, however it was chunked, compressed, or in which order it was written.

Equal hash means equal content. The converse does not hold: the same numbers cut into other chunks, or a table with other
schema metadata, have another hash. All are BLAKE3 trees: a header that says what it is, then the digests of the parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

VERSION = "blake3-1"
ROWS_PER_BLOCK = 64 * 1024


def of_bytes(content: bytes) -> str:
    """Return the hash of a file's bytes."""
    return _combined({"kind": "bytes", "size": len(content)}, [digest(content)])


def of_array(
    shape: Sequence[int], dtype: np.dtype[Any], axes: Sequence[str] | None, chunk_shape: Sequence[int], digests: Iterable[bytes]
) -> str:
    """Return the hash of an array from the :func:`chunk_digest` of its chunks, in C order of the chunk grid."""
    header = {
        "kind": "array",
        "shape": [int(size) for size in shape],
        "dtype": dtype.newbyteorder("<").descr if dtype.fields else dtype.newbyteorder("<").str,
        "axes": None if axes is None else list(axes),
        "chunks": [int(size) for size in chunk_shape],
    }
    return _combined(header, digests)


def of_table(schema: Any, n_rows: int, digests: Iterable[bytes]) -> str:
    """Return the hash of a table from the :func:`~scistudio.core.storage.table_digest.column_digest` of each column of each block."""
    header = {"kind": "table", "rows": n_rows, "fields": [_field(field) for field in schema], "metadata": _text_pairs(schema.metadata)}
    return _combined(header, digests)


def of_slots(slots: Mapping[str, str | None]) -> str | None:
    """Return the hash of a composite from those of its slots; ``None`` if one of them is not known."""
    hashes = [slots[name] for name in sorted(slots)]
    known = [value.encode() for value in hashes if value is not None]
    if len(known) != len(hashes):
        return None
    return _combined({"kind": "composite", "slots": sorted(slots)}, known)


def digest(content: bytes | memoryview) -> bytes:
    """Return the plain BLAKE3 digest of some bytes."""
    from blake3 import blake3

    return blake3(content).digest()


def chunk_digest(values: np.ndarray[Any, Any]) -> bytes:
    """Return the digest of the values of one chunk: C order, little-endian, without the padding of a chunk at the edge."""
    import numpy as np

    ordered = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    # Datetimes and texts have no buffer of their own: their bytes do.
    return digest(memoryview(ordered.reshape(-1).view(np.uint8)) if ordered.size else b"")


def _combined(header: dict[str, Any], digests: Iterable[bytes]) -> str:
    from blake3 import blake3

    hasher = blake3(json.dumps({"version": VERSION, **header}, sort_keys=True, separators=(",", ":")).encode())
    for part in digests:
        hasher.update(part)
    return f"{VERSION}:{hasher.hexdigest()}"


def _field(field: Any) -> list[Any]:
    return [field.name, str(field.type), field.nullable, _text_pairs(field.metadata)]


def _text_pairs(metadata: Mapping[bytes, bytes] | None) -> list[list[str]]:
    return sorted([key.hex(), value.hex()] for key, value in (metadata or {}).items())

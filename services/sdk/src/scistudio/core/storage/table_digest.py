"""Digests of table columns: the same values give the same digest, however they lie in memory.

Arrow leaves much open: where an array starts in its buffers, what stands under a null, whether a bitmap exists when nothing is
null, how strings are chunked. None of it takes part here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def column_digest(column: Any) -> bytes:
    """Return the digest of a column (``pyarrow.ChunkedArray``) of at most one block of rows."""
    from blake3 import blake3

    hasher = blake3()
    _feed(hasher, _one_array(column))
    return hasher.digest()


def _one_array(column: Any) -> Any:
    """Return the column as one array, with wide offsets so that long texts fit."""
    import pyarrow as pa

    chunks = [_simple(chunk) for chunk in column.chunks]
    if not chunks:
        return _simple(pa.array([], type=column.type))
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _simple(array: Any) -> Any:
    """Strip what does not belong to the values: extension types, dictionaries, the width of offsets."""
    import pyarrow as pa
    import pyarrow.types as pt

    if isinstance(array, pa.ExtensionArray):
        return _simple(array.storage)
    if pt.is_dictionary(array.type):
        return _simple(array.dictionary_decode())
    if _is_text(array.type):
        return array.cast(pa.large_string()).view(pa.large_binary()) if _is_unicode(array.type) else array.cast(pa.large_binary())
    return array


def _feed(hasher: Any, array: Any) -> None:
    import pyarrow.types as pt

    array = _simple(array)
    hasher.update(len(array).to_bytes(8, "little"))
    valid = _validity(array)
    hasher.update(b"" if valid is None else _packed(valid))
    if pt.is_null(array.type):
        return
    if pt.is_struct(array.type):
        for child in array.flatten():
            _feed(hasher, child)
    elif pt.is_nested(array.type):
        _feed_lists(hasher, array)
    elif pt.is_boolean(array.type):
        hasher.update(_packed(array.fill_null(False).to_numpy(zero_copy_only=False)))
    elif pt.is_large_binary(array.type):
        _feed_texts(hasher, array)
    else:
        hasher.update(memoryview(_fixed_width(array, valid)))


def _feed_lists(hasher: Any, array: Any) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if pt.is_map(array.type):
        array = array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    hasher.update(_lengths(pc.list_value_length(array)))
    _feed(hasher, array.flatten())


def _feed_texts(hasher: Any, array: Any) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array.fill_null(pa.scalar(b"", type=array.type))
    hasher.update(_lengths(pc.binary_length(array)))
    _validity_bits, offsets, data = array.buffers()
    if data is not None and len(array):
        bounds = np.frombuffer(offsets, dtype=np.int64)[[array.offset, array.offset + len(array)]]
        hasher.update(memoryview(data)[bounds[0] : bounds[1]])


def _fixed_width(array: Any, valid: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """Return the bytes of the values, zeroed where there is a null."""
    import numpy as np

    width = array.type.bit_width // 8
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.empty(0, dtype=np.uint8)
    values = np.frombuffer(buffer, dtype=np.uint8)[array.offset * width : (array.offset + len(array)) * width]
    if valid is not None:
        values = values.copy()
        values.reshape(len(array), width)[~valid] = 0
    return values


def _validity(array: Any) -> np.ndarray[Any, Any] | None:
    """Return which values are there, or ``None`` when all are."""
    return array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None


def _packed(bits: np.ndarray[Any, Any]) -> bytes:
    import numpy as np

    return np.packbits(bits).tobytes()


def _lengths(lengths: Any) -> bytes:
    import numpy as np

    return (
        lengths.fill_null(0).to_numpy(zero_copy_only=False).astype("<i8", copy=False).tobytes() if len(lengths) else np.int64(0).tobytes()
    )


def _is_text(data_type: Any) -> bool:
    import pyarrow.types as pt

    return any(is_kind(data_type) for is_kind in (pt.is_binary, pt.is_large_binary, pt.is_binary_view)) or _is_unicode(data_type)


def _is_unicode(data_type: Any) -> bool:
    import pyarrow.types as pt

    return any(is_kind(data_type) for is_kind in (pt.is_string, pt.is_large_string, pt.is_string_view))

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
    """Return the column as one array; texts that come in several chunks get wide offsets, so that they fit together."""
    import pyarrow as pa

    chunks = column.chunks
    if not chunks:
        return pa.array([], type=column.type)
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays([_wide(_stripped(chunk)) for chunk in chunks])


def _stripped(array: Any) -> Any:
    """Strip what does not belong to the values: extension types and dictionaries."""
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        return _stripped(array.storage)
    return _stripped(array.dictionary_decode()) if isinstance(array, pa.DictionaryArray) else array


def _wide(array: Any) -> Any:
    import pyarrow as pa

    if not _is_text(array.type):
        return array
    return array.cast(pa.large_string()).view(pa.large_binary()) if _is_unicode(array.type) else array.cast(pa.large_binary())


def _feed(hasher: Any, array: Any) -> None:
    import pyarrow.types as pt

    array = _stripped(array)
    hasher.update(len(array).to_bytes(8, "little"))
    if pt.is_null(array.type):
        return
    valid = _validity(array)
    hasher.update(b"" if valid is None else _packed(valid))
    if pt.is_struct(array.type):
        for child in array.flatten():
            _feed(hasher, child)
    elif pt.is_nested(array.type):
        _feed_lists(hasher, array)
    elif pt.is_boolean(array.type):
        hasher.update(_packed(_bits(array.buffers()[1], array) if valid is None else _bits(array.buffers()[1], array) & valid))
    elif _is_text(array.type):
        _feed_texts(hasher, array, valid)
    else:
        hasher.update(memoryview(_fixed_width(array, valid)))


def _feed_lists(hasher: Any, array: Any) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if pt.is_map(array.type):
        array = array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    hasher.update(lengths.astype(np.dtype("<i8")).tobytes())
    _feed(hasher, array.flatten())


def _feed_texts(hasher: Any, array: Any, valid: np.ndarray[Any, Any] | None) -> None:
    """Feed the lengths, then all texts. Arrow's own functions are used for rare cases only: their first use costs milliseconds."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.types as pt

    narrow = pt.is_string(array.type) or pt.is_binary(array.type)
    if not narrow and not pt.is_large_binary(array.type) and not pt.is_large_string(array.type):
        array, narrow = _wide(array), False
    offsets = _offsets(array, narrow=narrow)
    lengths = np.diff(offsets)
    if valid is not None and lengths[~valid].any():
        _feed_texts(hasher, _wide(array).fill_null(pa.scalar(b"", type=pa.large_binary())), None)
        return
    hasher.update(lengths.astype("<i8", copy=False).tobytes())
    data = array.buffers()[2]
    if data is not None and len(array):
        hasher.update(memoryview(data)[offsets[0] : offsets[-1]])


def _offsets(array: Any, *, narrow: bool) -> np.ndarray[Any, Any]:
    """Return where each text starts, and where the last one ends, as 64-bit numbers."""
    import numpy as np

    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(1, dtype=np.int64)
    stored = np.frombuffer(buffer, dtype=np.int32 if narrow else np.int64)
    return stored[array.offset : array.offset + len(array) + 1].astype(np.int64)


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
    return _bits(array.buffers()[0], array) if array.null_count else None


def _bits(buffer: Any, array: Any) -> np.ndarray[Any, Any]:
    """Return the bits of a bitmap that belong to an array."""
    import numpy as np

    packed = np.empty(0, dtype=np.uint8) if buffer is None else np.frombuffer(buffer, dtype=np.uint8)
    return np.unpackbits(packed, count=array.offset + len(array), bitorder="little")[array.offset :].astype(bool)


def _packed(bits: np.ndarray[Any, Any]) -> bytes:
    import numpy as np

    return np.packbits(bits).tobytes()


def _is_text(data_type: Any) -> bool:
    import pyarrow.types as pt

    return any(is_kind(data_type) for is_kind in (pt.is_binary, pt.is_large_binary, pt.is_binary_view)) or _is_unicode(data_type)


def _is_unicode(data_type: Any) -> bool:
    import pyarrow.types as pt

    return any(is_kind(data_type) for is_kind in (pt.is_string, pt.is_large_string, pt.is_string_view))

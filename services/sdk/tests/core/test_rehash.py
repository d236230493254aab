"""Hashes of stored data: those of the writer, found again by reading, and others once something changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import zarr
from scistudio.core.storage import content_hash
from scistudio.core.storage.content_hash import ROWS_PER_BLOCK
from scistudio.core.storage.errors import StorageMissingError, StorageReferenceInvalidError
from scistudio.core.storage.persistence import flush
from scistudio.core.storage.rehash import hash_stored
from scistudio.core.types import Array, CompositeData, DataFrame, DataObject, StorageReference, Text


def objects() -> list[DataObject]:
    return [
        Array(axes=["y", "x"], data=np.arange(6.0).reshape(2, 3), chunk_shape=(1, 2)),
        Array(axes=["x"], data=np.array(["2024-02-29"], "M8[D]")),
        DataFrame(data={"a": np.arange(ROWS_PER_BLOCK + 3), "b": pa.array(["x"] * (ROWS_PER_BLOCK + 3)).dictionary_encode()}),
        DataFrame(data={"a": []}),
        Text(content="t"),
        CompositeData(slots={"a": Text(content="t"), "b": Array(axes=["x"], data=np.zeros(2))}),
    ]


@pytest.mark.parametrize("index", range(6))
def test_reading_finds_the_hash_of_the_writer(output_dir: Path, index: int) -> None:
    ref = flush(objects()[index]).storage_ref
    assert ref is not None
    assert ref.content_hash is not None
    assert hash_stored(ref) == ref.content_hash


def test_what_is_referenced_in_place_has_the_hash_of_its_copy(output_dir: Path, tmp_path: Path) -> None:
    values = np.arange(6, dtype=">i4").reshape(2, 3)
    theirs = zarr.create_array(tmp_path / "theirs.zarr", data=values, chunks=(2, 3), compressors=[zarr.codecs.BloscCodec()])
    assert theirs.shape == (2, 3)
    in_place = hash_stored(StorageReference("zarr", str(tmp_path / "theirs.zarr")))
    copy = Array(axes=["y", "x"], data=values).save(tmp_path / "named.zarr")
    unnamed = flush(Array(axes=["y", "x"], data=values)).storage_ref
    assert in_place is not None
    assert unnamed is not None
    assert copy.content_hash == unnamed.content_hash != in_place


def test_a_hash_is_remembered_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = Array(axes=["x"], data=np.arange(4), chunk_shape=(2,)).save(tmp_path / "a.zarr")
    reads: list[int] = []
    original = content_hash.chunk_digest

    def counted(values: np.ndarray[Any, Any]) -> bytes:
        reads.append(1)
        return original(values)

    monkeypatch.setattr(content_hash, "chunk_digest", counted)
    cache = tmp_path / "cache"
    assert hash_stored(ref, cache) == hash_stored(ref, cache) == ref.content_hash
    assert len(reads) == 2
    store = zarr.open_array(ref.path)
    store[0] = 9
    assert hash_stored(ref, cache) != ref.content_hash
    next(cache.iterdir()).write_text("{")
    assert hash_stored(ref, cache) == hash_stored(ref)


def test_damage_and_loss_are_named(tmp_path: Path) -> None:
    ref = Array(axes=["x"], data=np.arange(4), chunk_shape=(2,)).save(tmp_path / "a.zarr")
    (tmp_path / "a.zarr/c/1").unlink()
    with pytest.raises(StorageReferenceInvalidError, match="chunk c/1 is missing"):
        hash_stored(ref)
    for backend in ("zarr", "arrow", "filesystem", "composite"):
        with pytest.raises(StorageMissingError):
            hash_stored(StorageReference(backend, str(tmp_path / "absent")), tmp_path / "cache")
    assert hash_stored(StorageReference("filesystem", str(tmp_path))) is None

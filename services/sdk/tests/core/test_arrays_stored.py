"""Arrays on disk: the same numbers come back, by our reader and by zarr's, and only what is asked for is read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scistudio.core.storage import array_store, chunking
from scistudio.core.storage.array_writer import ArrayWriter
from scistudio.core.storage.errors import StorageMissingError, StorageReferenceInvalidError
from scistudio.core.storage.library_store import LibraryStore
from scistudio.core.storage.persistence import flush, persist_array
from scistudio.core.storage.plain_store import PlainStore
from scistudio.core.storage.zarr_backend import ZarrBackend
from scistudio.core.types import Array, StorageReference

NUMBERS = st.sampled_from("bool i1 i4 i8 u1 u2 u8 f2 f4 f8 c8 c16 >i4 >f8".split())  # noqa: SIM905
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7)
backend = ZarrBackend()
quiet = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[str]:
    """Give a new path each time."""
    return (str(tmp_path / f"{number}.zarr") for number in count())


@st.composite
def arrays_and_chunks(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
    array = draw(hnp.arrays(draw(NUMBERS), draw(SHAPES)))
    return array, tuple(draw(st.integers(1, max(1, size))) for size in array.shape)


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype.newbyteorder("=") and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


@quiet
@given(case=arrays_and_chunks())
def test_numbers_survive_and_zarr_reads_them_too(fresh: Iterator[str], case: tuple[np.ndarray[Any, Any], tuple[int, ...]]) -> None:
    array, chunks = case
    ref = backend.write(array, StorageReference("zarr", next(fresh), metadata={"chunk_shape": chunks}))
    assert isinstance(array_store.open_store(Path(ref.path)), PlainStore)
    assert same(backend.read(ref), array)
    theirs = zarr.open_array(ref.path, mode="r")
    assert same(np.asarray(theirs[...]), array)
    assert same(np.asarray(LibraryStore.open(Path(ref.path)).read(tuple(slice(0, size) for size in array.shape))), array)


@quiet
@given(case=arrays_and_chunks(), compressed=st.booleans(), separator=st.sampled_from("/."))
def test_what_zarr_wrote_is_read(
    fresh: Iterator[str], case: tuple[np.ndarray[Any, Any], tuple[int, ...]], compressed: bool, separator: str
) -> None:
    array, chunks = case
    path = next(fresh)
    theirs = zarr.create_array(
        path,
        shape=array.shape,
        dtype=array.dtype.newbyteorder("="),
        chunks=chunks,
        compressors=[zarr.codecs.ZstdCodec()] if compressed else None,
        chunk_key_encoding={"name": "default", "separator": separator},
        fill_value=1,
    )
    theirs[...] = array
    assert same(backend.read(StorageReference("zarr", path)), array)


@pytest.mark.parametrize("array", [np.array(["a", "bc"]), np.array(["2024-02-29", "NaT"], "M8[D]"), np.array([(1, 2.0)], "i4,f8")])
def test_texts_dates_and_records_are_kept(fresh: Iterator[str], array: np.ndarray[Any, Any]) -> None:
    ref = backend.write(array, StorageReference("zarr", next(fresh)))
    assert backend.read(ref).tolist() == array.tolist()
    assert backend.read(ref).dtype == array.dtype


def test_foreign_stores_are_read_whatever_their_form(fresh: Iterator[str]) -> None:
    values = np.arange(24).reshape(4, 6)
    v2, blosc = next(fresh), next(fresh)
    zarr.create_array(v2, data=values, chunks=(2, 3), zarr_format=2)
    zarr.create_array(blosc, data=values, chunks=(2, 3), compressors=[zarr.codecs.BloscCodec()])
    for path in (v2, blosc):
        assert backend.slice(StorageReference("zarr", path), slice(1, 3), [0, -1]).tolist() == values[1:3, [0, -1]].tolist()


@st.composite
def numpy_indices(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Any index that numpy takes: basic, lists, a mask of one axis or of all."""
    basic = hnp.basic_indices(shape, allow_ellipsis=True, allow_newaxis=False)
    kinds: list[st.SearchStrategy[Any]] = [basic]
    if shape and all(shape):
        kinds += [
            hnp.arrays(bool, shape),
            st.lists(st.integers(-shape[0], shape[0] - 1), max_size=4).map(lambda picked: np.array(picked, dtype=int)),
            hnp.arrays(bool, shape[:1]),
            hnp.integer_array_indices(shape),
        ]
    return draw(st.one_of(kinds))


@quiet
@given(data=st.data())
def test_slices_are_what_numpy_gives(fresh: Iterator[str], data: st.DataObject) -> None:
    array, chunks = data.draw(arrays_and_chunks())
    index = data.draw(numpy_indices(array.shape))
    ref = backend.write(array, StorageReference("zarr", next(fresh), metadata={"chunk_shape": chunks}))
    expected = array[index]
    assert same(np.asarray(backend.slice(ref, index)), np.asarray(expected))


@quiet
@given(
    shape=hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=5000),
    itemsize=st.sampled_from([1, 2, 4, 8, 16, 400]),
)
def test_chunks_fit_the_array_and_stay_near_a_mebibyte(shape: tuple[int, ...], itemsize: int) -> None:
    chunks = chunking.choose_chunks(shape, itemsize)
    assert all(1 <= chunk <= max(1, size) for chunk, size in zip(chunks, shape, strict=True))
    assert np.prod(chunks, dtype=object) * itemsize <= chunking.CHUNK_BYTES
    shards = chunking.choose_shards(shape, chunks, itemsize)
    assert shards is None or all(shard % chunk == 0 for shard, chunk in zip(shards, chunks, strict=True))


@pytest.mark.parametrize(
    ("shape", "axes", "chunks"),
    [
        ((64, 4096, 4096), ["z", "y", "x"], (1, 1024, 1024)),
        ((4096, 4096, 3), ["y", "x", "c"], (512, 512, 3)),
        ((500, 64, 64), ["t", "y", "x"], (256, 64, 64)),
        ((2000, 2000, 1000), ["y", "x", "lambda"], (1024, 1024, 1)),
        ((3, 5_000_000), None, (3, 349525)),
    ],
)
def test_tiles_are_cut_on_y_and_x(shape: tuple[int, ...], axes: list[str] | None, chunks: tuple[int, ...]) -> None:
    chosen = chunking.choose_chunks(shape, 1, axes)
    assert np.prod(chosen) <= chunking.CHUNK_BYTES
    if axes is not None:
        assert chosen == chunks


def files_of(ref: StorageReference) -> set[str]:
    return {str(Path(folder, name).relative_to(ref.path)) for folder, _, names in os.walk(ref.path) for name in names}


def remove_chunks_except(ref: StorageReference, *kept: str) -> None:
    for name in files_of(ref) - {"zarr.json", *kept}:
        (Path(ref.path) / name).unlink()


def test_a_tile_needs_only_its_own_chunks(fresh: Iterator[str]) -> None:
    values = np.arange(400).reshape(20, 20)
    ref = backend.write(values, StorageReference("zarr", next(fresh), metadata={"chunk_shape": (5, 5), "axes": ["y", "x"]}))
    remove_chunks_except(ref, "c/1/2", "c/1/3")
    array = Array(axes=["y", "x"], storage_ref=ref)
    assert array.sel(y=slice(6, 9), x=slice(11, 20)).to_numpy().tolist() == values[6:9, 11:20].tolist()
    with pytest.raises(StorageReferenceInvalidError, match="chunk c/0/0 is missing"):
        array.sel(y=0)


def test_large_arrays_are_sharded_and_still_read_by_the_chunk(fresh: Iterator[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunking, "SHARDED_FROM_BYTES", 0)
    monkeypatch.setattr(chunking, "SHARD_BYTES", 8 * 400)
    values = np.arange(40 * 40, dtype="u4").reshape(40, 40)
    ref = backend.write(values, StorageReference("zarr", next(fresh), metadata={"chunk_shape": (10, 10)}))
    stored = zarr.open_array(ref.path, mode="r")
    assert (stored.shards, stored.chunks) == ((40, 20), (10, 10))
    assert files_of(ref) == {"zarr.json", "c/0/0", "c/0/1"}
    assert same(backend.read(ref), values)
    (Path(ref.path) / "c/0/1").unlink()
    assert backend.slice(ref, slice(0, 40), slice(0, 20)).tolist() == values[:, :20].tolist()
    with pytest.raises(StorageReferenceInvalidError, match="chunk c/0/1 is missing"):
        backend.read(ref)


def test_selections_stay_in_memory_until_they_are_referenced(output_dir: Path) -> None:
    source = flush(Array(axes=["t", "x"], data=np.arange(6).reshape(2, 3), user={"a": 1}))
    row = source.sel(t=-1)
    assert row._storage_ref is None
    assert (row.axes, row.shape, row.to_numpy().tolist(), row.user) == (["x"], (3,), [3, 4, 5], {"a": 1})
    assert row.framework.derived_from == source.framework.object_id
    assert row.storage_ref is not None
    assert Path(row.storage_ref.path).parent == output_dir
    assert row.sel(x=0).to_numpy() == 3


def test_selections_of_arrays_in_memory_reduce_to_a_number() -> None:
    array = Array(axes=["y", "x"], data=np.arange(6).reshape(2, 3))
    assert array.sel(y=1, x=2).to_numpy() == 5
    assert [row.to_numpy().tolist() for row in array.iter_over("y")] == [[0, 1, 2], [3, 4, 5]]
    number = array.sel(y=0, x=0)
    assert number.storage_ref is not None
    assert ZarrBackend().read(number.storage_ref) == 0


def test_selections_that_make_no_sense_are_refused() -> None:
    array = Array(axes=["y", "x"], data=np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"sel\(\) received unknown axes: \['q'\]"):
        array.sel(q=0)
    for wrong in (True, [0, 1], np.array([True, False]), 1.0):
        with pytest.raises(ValueError, match="sel\\(\\) index for axis 'y' must be int or slice, got"):
            array.sel(y=wrong)
    with pytest.raises(IndexError, match="sel\\(\\) index 2 is out of bounds for axis 'y' with size 2"):
        array.sel(y=2)
    with pytest.raises(ValueError, match=r"Array\.sel\(\) requires backing data"):
        Array(axes=["y", "x"]).sel(y=0)
    with pytest.raises(ValueError, match="needs the shape"):
        next(Array(axes=["y"]).iter_over("y"))


def test_flushing_writes_once_and_frees_the_memory(output_dir: Path) -> None:
    array = Array(axes=["x"], data=np.arange(3))
    assert flush(array) is array
    assert array._transient_data is None
    assert (array.shape, array.dtype) == ((3,), "int64")
    first = array.storage_ref
    assert flush(array).storage_ref is first
    assert len(list(output_dir.iterdir())) == 1
    assert flush("not an object") == "not an object"


def test_nothing_is_flushed_without_a_directory() -> None:
    array = Array(axes=["x"], data=np.arange(3))
    assert flush(array).storage_ref is None


def test_pieces_make_the_same_array_as_the_whole(output_dir: Path) -> None:
    values = np.arange(60, dtype="u2").reshape(5, 4, 3)
    whole = persist_array(values, (5, 4, 3), "u2", output_dir, (2, 2, 3))
    pieces = persist_array(((t, values[t]) for t in reversed(range(5))), (5, 4, 3), "u2", output_dir, (2, 2, 3))
    assert np.array_equal(ZarrBackend().read(pieces), values)
    assert pieces.content_hash == whole.content_hash
    assert (pieces.format, pieces.metadata and pieces.metadata["shape"]) == ("zarr", [5, 4, 3])
    by_chunk = list(ZarrBackend().iter_chunks(pieces, 2))
    assert [slab.shape for slab in by_chunk] == [(2, 4, 3), (2, 4, 3), (1, 4, 3)]


def test_bad_arrays_are_refused_with_what_to_do(tmp_path: Path) -> None:
    ref = StorageReference("zarr", str(tmp_path / "a.zarr"))
    with pytest.raises(TypeError, match="Python objects cannot be stored"):
        backend.write(np.array([{}, None]), ref)
    with pytest.raises(ValueError, match="does not fit the shape"):
        backend.write(np.zeros(3), StorageReference("zarr", ref.path, metadata={"chunk_shape": (1, 1)}))
    with pytest.raises(RuntimeError, match="persist_array requires output_dir but none is configured"):
        persist_array(np.zeros(3), (3,), "f8")
    with pytest.raises(ValueError, match=r"has shape \(3,\), but \(4,\) was announced"):
        persist_array(np.zeros(3), (4,), "f8", tmp_path)
    with pytest.raises(ValueError, match="do not fit an array of uint8"):
        persist_array([(0, 300)], (1,), "u1", tmp_path)
    with pytest.raises(IndexError, match="out of bounds for axis 0"):
        persist_array([(5, 1)], (1,), "u1", tmp_path)
    assert not list(tmp_path.iterdir())


def test_references_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    ref = StorageReference("zarr", str(tmp_path / "a.zarr"))
    with pytest.raises(StorageMissingError, match=r"Cannot read zarr data at .*a\.zarr.: missing"):
        backend.read(ref)
    backend.write(np.zeros(3), ref)
    with pytest.raises(IndexError, match="out of bounds"):
        backend.slice(ref, 3)
    (tmp_path / "a.zarr/c/0").write_bytes(b"\0" * 10)
    with pytest.raises(StorageReferenceInvalidError) as caught:
        backend.read(ref)
    assert caught.value.to_payload(block_id="b", port_name="p")["reason"] in ("damaged", "unreadable")
    (tmp_path / "a.zarr/zarr.json").write_text("{")
    with pytest.raises(StorageReferenceInvalidError, match="damaged"):
        backend.read(ref)
    zarr.create_group(tmp_path / "g.zarr")
    with pytest.raises(StorageReferenceInvalidError, match="Zarr group"):
        backend.read(StorageReference("zarr", str(tmp_path / "g.zarr")))


def test_a_store_is_replaced_as_a_whole(tmp_path: Path) -> None:
    ref = StorageReference("zarr", str(tmp_path / "a.zarr"))
    backend.write(np.zeros(3), ref)
    backend.write(np.ones((2, 2)), ref)
    assert backend.read(ref).tolist() == [[1, 1], [1, 1]]
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.zarr"]
    shutil.rmtree(ref.path)


def test_an_unfinished_writer_has_no_reference(tmp_path: Path) -> None:
    writer = ArrayWriter(tmp_path / "a.zarr", (2,), "u1")
    with pytest.raises(ValueError, match="is not finished"):
        assert writer.reference
    writer.abandon()
    assert not list(tmp_path.iterdir())

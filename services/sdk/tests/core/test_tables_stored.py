"""Tables on disk: values and types come back, pages read only what they need, equal content has one hash."""

from __future__ import annotations

import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scistudio.core.storage.arrow_backend import ArrowBackend
from scistudio.core.storage.content_hash import ROWS_PER_BLOCK
from scistudio.core.storage.errors import StorageMissingError, StorageReferenceInvalidError
from scistudio.core.storage.persistence import flush, persist_table
from scistudio.core.storage.table_writer import TableWriter
from scistudio.core.types import DataFrame, Series, StorageReference

backend = ArrowBackend()
quiet = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

SCALARS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.bool_(), st.booleans()),
    (pa.int8(), st.integers(-128, 127)),
    (pa.uint64(), st.integers(0, 2**64 - 1)),
    (pa.float16(), st.floats(width=16).map(np.float16)),
    (pa.float64(), st.floats()),
    (pa.string(), st.text(max_size=3)),
    (pa.large_string(), st.text(max_size=3)),
    (pa.string_view(), st.text(max_size=20)),
    (pa.binary(), st.binary(max_size=3)),
    (pa.binary(2), st.binary(min_size=2, max_size=2)),
    (pa.decimal128(20, 2), st.decimals(-1000, 1000, places=2)),
    (pa.decimal256(40, 1), st.decimals(-1000, 1000, places=1)),
    (pa.date32(), st.dates()),
    (pa.date64(), st.dates()),
    (pa.time32("s"), st.times().map(lambda time: time.replace(microsecond=0))),
    (pa.time64("us"), st.times()),
    (pa.timestamp("s"), st.datetimes().map(lambda time: time.replace(microsecond=0))),
    (pa.timestamp("us", "Europe/Berlin"), st.integers(0, 2**40)),
    (pa.duration("ms"), st.integers(-(2**40), 2**40)),
    (pa.null(), st.none()),
]


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> pa.Array:
    data_type, values = draw(st.sampled_from(SCALARS))
    shape = draw(st.sampled_from(["plain", "list", "struct", "map", "fixed", "dictionary"]))
    if shape == "list":
        data_type, values = pa.list_(data_type), st.lists(values | st.none(), max_size=3)
    elif shape == "struct":
        data_type, values = (
            pa.struct([("x", data_type), ("y", pa.int8())]),
            st.fixed_dictionaries({"x": values | st.none(), "y": st.just(1)}),
        )
    elif shape == "map":
        data_type, values = pa.map_(pa.string(), data_type), st.lists(st.tuples(st.text(max_size=2), values | st.none()), max_size=2)
    elif shape == "fixed":
        data_type, values = pa.list_(data_type, 2), st.lists(values | st.none(), min_size=2, max_size=2)
    made = pa.array(draw(st.lists(values | st.none(), min_size=n_rows, max_size=n_rows)), type=data_type)
    return made.dictionary_encode() if shape == "dictionary" and data_type in (pa.string(), pa.int8(), pa.float64()) else made


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    n_rows = draw(st.integers(0, 6))
    made = draw(st.lists(columns(n_rows), min_size=1, max_size=3))
    metadata = draw(st.none() | st.just({b"unit": b"nm"}))
    return pa.table(made, names=[f"c{number}" for number in range(len(made))]).replace_schema_metadata(metadata)


def equal(a: pa.Table, b: pa.Table) -> bool:
    """Compare with NaN equal to NaN: through Python values, whose text is the same."""
    return bool(a.schema.equals(b.schema, check_metadata=True)) and repr(a.to_pylist()) == repr(b.to_pylist())


@quiet
@given(table=tables())
def test_tables_come_back_with_their_types_and_their_hash(tmp_path: Path, table: pa.Table) -> None:
    ref = backend.write(table, StorageReference("arrow", str(tmp_path / "a.parquet")))
    back = backend.read(ref)
    assert equal(back, table)
    again = backend.write(back, StorageReference("arrow", str(tmp_path / "b.parquet")))
    assert again.content_hash == ref.content_hash


@quiet
@given(table=tables(), cut=st.integers(0, 6))
def test_the_hash_sees_values_and_not_how_they_lie_in_memory(tmp_path: Path, table: pa.Table, cut: int) -> None:
    ref = StorageReference("arrow", str(tmp_path / "a.parquet"))
    expected = backend.write(table, ref).content_hash
    twice = pa.concat_tables([table, table]).combine_chunks()
    moved = twice.slice(table.num_rows)
    in_pieces = pa.concat_tables([moved.slice(0, cut), moved.slice(cut)])
    assert backend.write(in_pieces, ref).content_hash == expected


def test_what_stands_under_a_null_is_not_content(tmp_path: Path) -> None:
    ref = StorageReference("arrow", str(tmp_path / "a.parquet"))
    mask = np.array([False, True])
    hashes = {backend.write(pa.table({"a": pa.array(np.array([1, under]), mask=mask)}), ref).content_hash for under in (0, 99)}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "other",
    [
        pa.table({"a": [1, 3]}),
        pa.table({"b": [1, 2]}),
        pa.table({"a": pa.array([1, 2], pa.int32())}),
        pa.table({"a": [1, None]}),
        pa.table({"a": [1, 2, 3]}),
        pa.table({"a": [1, 2]}).replace_schema_metadata({"unit": "nm"}),
        pa.table({"a": ["1", "2"]}),
    ],
)
def test_other_content_has_another_hash(tmp_path: Path, other: pa.Table) -> None:
    ref = StorageReference("arrow", str(tmp_path / "a.parquet"))
    assert backend.write(other, ref).content_hash != backend.write(pa.table({"a": [1, 2]}), ref).content_hash


def test_texts_do_not_run_into_each_other(tmp_path: Path) -> None:
    ref = StorageReference("arrow", str(tmp_path / "a.parquet"))
    first = backend.write(pa.table({"a": ["ab", "c"]}), ref).content_hash
    assert first != backend.write(pa.table({"a": ["a", "bc"]}), ref).content_hash


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([pa.MonthDayNano([1, 2, 3])]), "cannot store month_day_nano_interval"),
        (pa.array([{}], pa.struct([])), "cannot store a struct without fields"),
        (pa.RunEndEncodedArray.from_arrays([1], [2]), "cannot store run_end_encoded values"),
        (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "cannot store sparse_union values"),
        (pa.array([[1]], pa.list_(pa.dictionary(pa.int8(), pa.int64()))), "dictionaries of anything but text"),
        (pa.array([b""], pa.binary(0)), "cannot store values of size 0"),
    ],
)
def test_types_that_parquet_cannot_hold_are_refused_by_name(tmp_path: Path, column: pa.Array, message: str) -> None:
    with pytest.raises(TypeError, match=f"Column 'odd' has the Arrow type .*{message}"):
        backend.write(pa.table({"odd": column}), StorageReference("arrow", str(tmp_path / "a.parquet")))
    assert not list(tmp_path.iterdir())


def test_pandas_frames_are_sent_through_the_right_door(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"ArrowBackend\.write expects dict or pa\.Table, got DataFrame\. Use DataFrame\.from_pandas"):
        backend.write(pd.DataFrame({"a": [1]}), StorageReference("arrow", str(tmp_path / "a.parquet")))
    with pytest.raises(ValueError, match="3 rows without columns"):
        backend.write(pa.table({"a": [1, 2, 3]}).select([]), StorageReference("arrow", str(tmp_path / "a.parquet")))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> StorageReference:
    """Three row groups of two columns."""
    n_rows = 2 * ROWS_PER_BLOCK + 100
    table = pa.table({"i": np.arange(n_rows), "x": np.arange(n_rows) / 2})
    return backend.write(table, StorageReference("arrow", str(tmp_path_factory.mktemp("large") / "a.parquet")))


def test_tables_are_cut_into_row_groups_with_statistics(large: StorageReference) -> None:
    metadata = pq.read_metadata(large.path)
    assert [metadata.row_group(group).num_rows for group in range(3)] == [ROWS_PER_BLOCK, ROWS_PER_BLOCK, 100]
    column = metadata.row_group(1).column(0)
    assert (column.compression, column.statistics.min) == ("ZSTD", ROWS_PER_BLOCK)


@given(data=st.data())
@quiet
def test_rows_are_what_a_slice_gives(large: StorageReference, data: st.DataObject) -> None:
    n_rows = 2 * ROWS_PER_BLOCK + 100
    near_edges = st.sampled_from(
        [0, 1, 99, ROWS_PER_BLOCK - 1, ROWS_PER_BLOCK, ROWS_PER_BLOCK + 1, n_rows - 1, n_rows, n_rows + 5, -1, -n_rows]
    )
    start, stop = data.draw(near_edges), data.draw(near_edges | st.none())
    rows = DataFrame(storage_ref=large).rows(start, stop, ["x", "i"])
    expected = np.arange(n_rows)[start:stop]
    assert rows.column_names == ["x", "i"]
    assert np.array_equal(rows["i"].to_numpy(), expected)


def test_a_page_touches_only_its_row_group_and_columns(large: StorageReference, tmp_path: Path) -> None:
    content = bytearray(Path(large.path).read_bytes())
    metadata = pq.read_metadata(large.path)
    for group in range(3):
        for column in range(2):
            chunk = metadata.row_group(group).column(column)
            if (group, column) != (1, 1):
                first = chunk.dictionary_page_offset or chunk.data_page_offset
                content[first : first + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(content)
    ref = StorageReference("arrow", str(damaged))
    assert backend.read_rows(ref, ROWS_PER_BLOCK + 5, ROWS_PER_BLOCK + 7, ["x"])["x"].to_pylist() == [32770.5, 32771.0]
    with pytest.raises(StorageReferenceInvalidError):
        backend.read_rows(ref, 0, 1, ["x"])


def test_columns_and_chunks_are_read_apart(large: StorageReference) -> None:
    assert backend.slice(large, "x").column_names == backend.slice(large, ["x"]).column_names == ["x"]
    assert sum(piece.num_rows for piece in backend.iter_chunks(large, 50_000)) == 2 * ROWS_PER_BLOCK + 100
    assert all(piece.num_rows <= 50_000 for piece in backend.iter_chunks(large, 50_000))
    assert backend.get_metadata(large)["schema"] == {"i": "int64", "x": "double"}
    with pytest.raises(KeyError, match="has no column"):
        backend.slice(large, "y")


def test_a_table_written_in_pieces_is_the_table_written_at_once(large: StorageReference, tmp_path: Path) -> None:
    whole = backend.read(large)
    with TableWriter(str(tmp_path / "b.parquet")) as writer:
        for start in range(0, whole.num_rows, 30_000):
            writer.write(whole.slice(start, 30_000))
    assert writer.reference.metadata == large.metadata
    with pytest.raises(ValueError, match="does not fit the first"), TableWriter(str(tmp_path / "c.parquet")) as writer:
        writer.write({"a": [1]})
        writer.write({"b": [1]})
    with pytest.raises(ValueError, match="neither a piece nor a schema"), TableWriter(str(tmp_path / "d.parquet")):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["b.parquet"]


def test_long_integers_beside_gaps_reach_pandas_unrounded() -> None:
    frame = DataFrame(data={"id": pa.array([1700000000000000011, None, 9007199254740993]), "n": [1, None, 2]})
    ids = frame.to_pandas()["id"]
    assert [ids[0], ids[2]] == [1700000000000000011, 9007199254740993]
    assert str(frame.to_pandas()["n"].dtype) == "float64"


def test_frames_come_from_pandas_and_arrow_and_go_back(output_dir: Path) -> None:
    original = pd.DataFrame({"a": [1, 2]}, index=pd.Index([10, 20], name="t"))
    frame = flush(DataFrame.from_pandas(original, user={"k": 1}))
    assert (frame.columns, frame.row_count, frame.user) == (["a", "t"], 2, {"k": 1})
    pd.testing.assert_frame_equal(frame.to_pandas(), original)
    assert DataFrame.from_arrow(pa.record_batch({"a": [1]})).rows(-1)["a"].to_pylist() == [1]


def test_series_are_one_column_or_the_table_they_came_as(output_dir: Path) -> None:
    trace = flush(Series(data=np.array([1.0, 2.0]), value_name="v"))
    assert (trace.length, trace.to_pandas().name, trace.to_numpy().tolist()) == (2, "v", [1.0, 2.0])
    spectrum = flush(Series(data=pa.table({"lambda": [400.0], "intensity": [1.0]})))
    assert spectrum.to_memory().column_names == ["lambda", "intensity"]
    assert spectrum.to_pandas().tolist() == [400.0]


def test_tables_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    ref = StorageReference("arrow", str(tmp_path / "a.parquet"))
    with pytest.raises(StorageMissingError, match="missing"):
        backend.read(ref)
    Path(ref.path).write_bytes(b"PAR1")
    with pytest.raises(StorageReferenceInvalidError, match="damaged"):
        backend.get_metadata(ref)
    with pytest.raises(RuntimeError, match="persist_table requires output_dir but none is configured"):
        persist_table(pa.table({"a": [decimal.Decimal(1)]}))

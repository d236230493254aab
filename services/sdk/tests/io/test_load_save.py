from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import zarr
from scistudio.blocks.io.loaders import LoadData
from scistudio.blocks.io.savers import SaveData
from scistudio.core.storage import flush_context
from scistudio.core.types import Array, Artifact, Collection, DataFrame, Series, Text


def load(path: Any, core_type: str, **options: Any) -> Collection:
    block = LoadData({"path": path if isinstance(path, list) else str(path), "core_type": core_type, **options})
    return block.run({}, block.config)["data"]


def save(items: Any, path: Any, core_type: str = "DataFrame", **options: Any) -> list[str]:
    collection = items if isinstance(items, Collection) else Collection(items if isinstance(items, list) else [items])
    block = SaveData({"path": str(path), "core_type": core_type, **options})
    receipt = block.run({"data": collection}, block.config)["path"][0]
    return [file["path"] for file in receipt.user["files"]]


def frame(source: str = "", **columns: list[Any]) -> DataFrame:
    from scistudio.core.meta import FrameworkMeta

    return DataFrame(data=pa.table(columns or {"a": [1, None], "b": ["x", ""]}), framework=FrameworkMeta(source=source))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".pq", ".json"])
def test_a_table_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    original = pa.table({"id": [1700000000000000011, None], "x": [0.1, -2.5e-300], "s": ['q"z', ""], "t": ["a,b", "c\nd"]})
    save(frame(**original.to_pydict()), tmp_path / f"t{suffix}")
    assert load(tmp_path / f"t{suffix}", "DataFrame")[0].to_memory().to_pydict() == original.to_pydict()


def test_plain_tables_are_written_without_quotes(tmp_path: Path) -> None:
    save(frame(species=["Adelie", None], n=[1, 2]), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "species,n\nAdelie,1\n,2\n"


def test_encoding_and_delimiter_of_a_saved_table_can_be_chosen(tmp_path: Path) -> None:
    save(frame(ort=["Köln"]), tmp_path / "t.csv", encoding="cp1252", delimiter=";")
    assert (tmp_path / "t.csv").read_bytes() == "ort\nKöln\n".encode("cp1252")
    with pytest.raises(ValueError, match="cannot be written in cp1252"):
        save(frame(ort=["東京"]), tmp_path / "u.csv", encoding="cp1252")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".zarr"])
def test_an_array_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    values = np.arange(24, dtype="uint16").reshape(2, 3, 4)
    flush_context.set_output_dir(tmp_path / "out")
    for name, array in (("memory", Array(axes=["z", "y", "x"], data=values)), ("stored", Array(axes=["z", "y", "x"], data=values))):
        if name == "stored":
            array.save(tmp_path / "kept.zarr")
        save(array, tmp_path / f"{name}{suffix}", "Array")
        loaded = load(tmp_path / f"{name}{suffix}", "Array")[0]
        assert loaded.shape == (2, 3, 4)
        assert loaded.dtype == "uint16"
        np.testing.assert_array_equal(loaded.to_numpy(), values)
        assert loaded.axes == (["z", "y", "x"] if suffix == ".zarr" else ["axis_0", "axis_1", "axis_2"])


def test_a_zarr_is_used_where_it_lies(tmp_path: Path) -> None:
    zarr.save_array(str(tmp_path / "a.zarr"), np.ones((4, 4)))
    before = sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "a.zarr").rglob("*"))
    loaded = load(tmp_path / "a.zarr", "Array")[0]
    assert loaded.storage_ref.path == str(tmp_path / "a.zarr")
    assert loaded.to_numpy().sum() == 16
    assert sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "a.zarr").rglob("*")) == before


def test_python_objects_are_never_loaded_as_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"o\.npy cannot be read as numbers"):
        load(tmp_path / "o.npy", "Array")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_a_series_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    save(Series(data=pa.table({"v": [1.5, 2.5]})), tmp_path / f"s{suffix}", "Series")
    loaded = load(tmp_path / f"s{suffix}", "Series")[0]
    assert loaded.to_memory().to_pydict() == {"v": [1.5, 2.5]}
    assert (loaded.value_name, loaded.length) == ("v", 2)


def test_a_series_of_two_columns_is_refused(tmp_path: Path) -> None:
    save(frame(), tmp_path / "two.csv")
    with pytest.raises(ValueError, match=r"expects a single-column tabular file, got 2 columns"):
        load(tmp_path / "two.csv", "Series")


def test_a_text_keeps_its_format_line_ends_and_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# Größe\r\nx".encode("cp1252"))
    loaded = load(tmp_path / "a.md", "Text", encoding="cp1252")[0]
    assert (loaded.content, loaded.format) == ("# Größe\r\nx", "markdown")
    save(loaded, tmp_path / "b.md", "Text")
    assert (tmp_path / "b.md").read_bytes() == (tmp_path / "a.md").read_bytes()


def test_an_artifact_stays_in_place_and_is_saved_as_a_copy(tmp_path: Path) -> None:
    (tmp_path / "photo.weird").write_bytes(b"\1\2")
    (tmp_path / "photo.weird.meta.json").write_text(json.dumps({"operator": "A"}))
    loaded = load(tmp_path / "photo.weird", "Artifact")[0]
    assert (loaded.file_path, loaded.user) == (tmp_path / "photo.weird", {"operator": "A"})
    (tmp_path / "out").mkdir()
    assert save(loaded, tmp_path / "out", "Artifact") == [str(tmp_path / "out" / "photo.weird")]
    assert (tmp_path / "out" / "photo.weird").read_bytes() == b"\1\2"
    assert json.loads((tmp_path / "out" / "photo.weird.meta.json").read_text())["original_path"] == str(tmp_path / "photo.weird")


def test_several_files_make_one_collection_in_their_order(tmp_path: Path) -> None:
    for n in (3, 1, 2):
        save(frame(n=[n]), tmp_path / f"{n}.csv")
    loaded = load([str(tmp_path / f"{n}.csv") for n in (3, 1, 2)], "DataFrame")
    assert [item.to_memory()["n"].to_pylist() for item in loaded] == [[3], [1], [2]]
    assert loaded[0].framework.source == str(tmp_path / "3.csv")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (None, ValueError, "LoadData requires a 'path' config field"),
        ([], ValueError, "no file chosen"),
        ("", ValueError, "empty path"),
        (["a.csv", "b.csv"], FileNotFoundError, r"LoadData: dataframe source not found: a\.csv, b\.csv"),
        (".", ValueError, r"does not support extension '' \(it is a folder\)"),
    ],
)
def test_a_path_that_cannot_be_read_is_explained(path: Any, error: type[Exception], message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    block = LoadData({"path": path, "core_type": "DataFrame"})
    with pytest.raises(error, match=message):
        block.run({}, block.config)


def test_links_to_nowhere_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").symlink_to(tmp_path / "gone.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileNotFoundError, match="a link to nowhere"):
        load(tmp_path / "broken.csv", "DataFrame")
    with pytest.raises(ValueError, match="neither a file nor a folder"):
        load(tmp_path / "pipe.csv", "DataFrame")


def test_an_extension_of_another_type_lists_those_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(ValueError, match=r"does not support extension '\.png'\. Supported extensions: \['\.csv', '\.tsv', '\.parquet'"):
        load(tmp_path / "a.png", "DataFrame")
    with pytest.raises(ValueError, match="Unknown core_type: Nonsense"):
        load(tmp_path / "a.png", "Nonsense")


def test_the_ports_follow_the_type_that_a_node_is_set_to() -> None:
    assert LoadData({"core_type": "Array"}).get_effective_output_ports()[0].accepted_types == [Array]
    assert SaveData({"core_type": "Text"}).get_effective_input_ports()[0].accepted_types == [Text]
    assert LoadData({"core_type": "Artifact", "path": ["a"]}).get_effective_output_ports()[0].accepted_types == [Artifact]


def test_what_exists_is_replaced_only_on_demand_and_a_refusal_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "t-2.csv").write_text("old")
    items = [frame(n=[1]), frame(n=[2])]
    with pytest.raises(ValueError, match=r"refuses to overwrite existing output '.*t-2\.csv'"):
        save(items, tmp_path / "t.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t-2.csv"]
    assert len(save(items, tmp_path / "t.csv", overwrite=True)) == 2
    assert (tmp_path / "t-2.csv").read_text() == "n\n2\n"


def test_a_failing_item_leaves_nothing_half_written(tmp_path: Path) -> None:
    bad = DataFrame(data=pa.table({"l": [[1, 2]]}))
    with pytest.raises(ValueError, match=r"Columns \['l'\] hold lists"):
        save([frame(), bad], tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "options", "n_items", "expected"),
    [
        ("results", {"filename": "q.csv"}, 1, ["results/q.csv"]),
        ("results", {"filename": "q.parquet"}, 1, ["results/q.parquet"]),
        ("results/", {}, 1, ["results/in.csv"]),
        ("result", {}, 1, ["result.csv"]),
        ("out.parquet", {}, 2, ["out-1.parquet", "out-2.parquet"]),
        ("results", {}, 2, ["results/in.csv", "results/in-2.csv"]),
        ("results", {"filename": "q.csv"}, 2, ["results/q-1.csv", "results/q-2.csv"]),
        ("deep/er/t.json", {}, 1, ["deep/er/t.json"]),
        ("t.csv", {"format": "tsv"}, 1, ["t.csv"]),
    ],
)
def test_names_follow_the_path_and_filename(
    tmp_path: Path, monkeypatch: Any, path: str, options: Any, n_items: int, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    items = [frame(source=f"/data/{n}/in.csv", n=[n]) for n in range(n_items)]
    assert save(items, path, **options) == expected
    assert all((tmp_path / name).is_file() for name in expected)


@pytest.mark.parametrize(
    ("items", "path", "options", "message"),
    [
        ([], "a.csv", {}, "received an empty Collection"),
        (None, " ", {}, "requires a non-empty 'path'"),
        (None, "a.foo", {}, r"Unsupported DataFrame file extension '\.foo'"),
        (None, "a.csv", {"format": "tiff"}, "unsupported format 'tiff'; supported formats are"),
        (None, "a.csv", {"capability_id": "x.y.z"}, r"unknown capability_id 'x\.y\.z'.*core\.dataframe\.csv\.save"),
        (None, "a.csv", {"core_type": "Text"}, "set to core_type 'Text' but got DataFrame"),
        (None, "./", {}, "cannot infer an output filename"),
    ],
)
def test_what_cannot_be_saved_is_explained(tmp_path: Path, monkeypatch: Any, items: Any, path: str, options: Any, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    collection = Collection([], item_type=DataFrame) if items == [] else Collection([frame()])
    block = SaveData({"path": path, "core_type": "DataFrame", **options})
    with pytest.raises(ValueError, match=message):
        block.run({"data": collection}, block.config)


def test_the_receipt_records_files_sizes_and_hashes(tmp_path: Path) -> None:
    block = SaveData({"path": str(tmp_path / "t.csv"), "core_type": "DataFrame"})
    receipt = block.run({"data": Collection([frame(n=[1])])}, block.config)["path"][0]
    assert receipt.content == str(tmp_path / "t.csv")
    (file,) = receipt.user["files"]
    assert (file["size_bytes"], len(file["blake3"])) == (4, 64)

"""Composites on disk: one folder, readable after it moved, children written once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scistudio.core.storage.composite_store import CompositeStore
from scistudio.core.storage.errors import StorageMissingError, StorageReferenceInvalidError
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Array, Artifact, CompositeData, DataFrame, DataObject, StorageReference, Text

store = CompositeStore()


def bundle(**extra: DataObject) -> CompositeData:
    return CompositeData(
        slots={
            "image": Array(axes=["y", "x"], data=np.eye(2)),
            "table": DataFrame(data={"a": [1]}),
            "note": Text(content="Größe", encoding="latin-1"),
            **extra,
        }
    )


def test_the_folder_holds_each_slot_and_a_manifest_with_relative_paths(output_dir: Path) -> None:
    ref = flush(bundle()).storage_ref
    assert ref is not None
    manifest = json.loads((Path(ref.path) / "manifest.json").read_text())
    assert manifest["slots"]["image"] == {"backend": "zarr", "path": "image/data.zarr", "format": "zarr"}
    assert manifest["slots"]["table"]["path"] == "table/data.parquet"
    assert manifest["slots"]["note"]["path"] == "note/data.txt"
    assert [path.name for path in output_dir.iterdir()] == [Path(ref.path).name]


def test_a_moved_composite_still_reads(output_dir: Path, tmp_path: Path) -> None:
    elsewhere = flush(Array(axes=["x"], data=np.arange(2)))
    ref = flush(bundle(other=elsewhere)).storage_ref
    assert ref is not None
    moved = tmp_path / "moved"
    shutil.move(output_dir, moved)
    payload = store.read(StorageReference("composite", str(moved / Path(ref.path).name)))
    assert payload["image"].tolist() == [[1, 0], [0, 1]]
    assert payload["table"] == pa.table({"a": [1]})
    assert payload["note"] == "Größe"
    assert payload["other"].tolist() == [0, 1]


def test_children_get_references_and_are_freed(output_dir: Path) -> None:
    whole = flush(bundle(inner=bundle()))
    assert whole.storage_ref is not None
    inner_image = whole.get("inner").get("image")
    assert inner_image.storage_ref.path == f"{whole.storage_ref.path}/inner/data/image/data.zarr"
    assert inner_image._transient_data is None
    assert inner_image.to_numpy().tolist() == [[1, 0], [0, 1]]
    assert store.read(whole.storage_ref)["inner"]["note"] == "Größe"
    assert store.slot_ref(whole.storage_ref, "image") is not None
    assert store.slot_ref(whole.storage_ref, "absent") is None


def test_equal_composites_have_one_hash_and_others_another(output_dir: Path) -> None:
    first, second = flush(bundle(inner=bundle())), flush(bundle(inner=bundle()))
    other = flush(bundle(inner=bundle(note=Text(content="other"))))
    hashes = [composite.storage_ref.content_hash for composite in (first, second, other) if composite.storage_ref]
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[0] is not None


def test_files_in_place_stay_where_they_are(output_dir: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.pdf"
    report.write_bytes(b"%PDF")
    ref = flush(bundle(report=Artifact(file_path=report))).storage_ref
    assert ref is not None
    assert store.read(ref)["report"] == b"%PDF"
    assert "report" not in [path.name for path in Path(ref.path).iterdir()]
    assert ref.content_hash is None


def test_payloads_are_written_and_read_slot_by_slot(tmp_path: Path) -> None:
    data = {
        "a": ("zarr", np.arange(2)),
        "b": ("filesystem", b"\0"),
        "c": ("filesystem", "text"),
        "d": ("composite", {"e": ("arrow", {"x": [1]})}),
    }
    ref = store.write(data, StorageReference("composite", str(tmp_path / "c")))
    assert (ref.format, ref.metadata and ref.metadata["slot_names"]) == ("composite", ["a", "b", "c", "d"])
    assert store.slice(ref, "b", "absent") == {"b": b"\0"}
    assert dict(store.iter_chunks(ref, 1))["c"] == "text"
    assert store.read(ref)["d"]["e"] == pa.table({"x": [1]})
    assert store.get_metadata(ref)["slot_backends"] == {"a": "zarr", "b": "filesystem", "c": "filesystem", "d": "composite"}


def test_manifests_with_absolute_paths_are_read(tmp_path: Path) -> None:
    store.write({"a": ("filesystem", "text")}, StorageReference("composite", str(tmp_path / "c")))
    manifest = tmp_path / "c" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("a/data.txt", str(tmp_path / "c/a/data.txt")))
    assert store.read(StorageReference("composite", str(tmp_path / "c"))) == {"a": "text"}


def test_bad_composites_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    ref = StorageReference("composite", str(tmp_path / "c"))
    with pytest.raises(KeyError, match="Unknown backend 'tape'"):
        store.write({"a": ("filesystem", "x"), "b": ("tape", b"")}, ref)
    with pytest.raises(ValueError, match=r"A slot cannot be called '\.\./x'"):
        store.write({"../x": ("filesystem", "x")}, ref)
    assert not list(tmp_path.iterdir())
    with pytest.raises(StorageMissingError):
        store.read(ref)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "manifest.json").write_text('{"slots": {"a": 1}}')
    with pytest.raises(StorageReferenceInvalidError, match="damaged"):
        store.read(ref)


def test_a_child_that_cannot_be_written_leaves_its_siblings_in_memory(output_dir: Path) -> None:
    broken = bundle(odd=Array(axes=["x"], data=np.array([{}])))
    with pytest.raises(RuntimeError, match=r"auto_flush failed for CompositeData: .*Python objects"):
        flush(broken)
    assert broken.get("image").to_numpy().tolist() == [[1, 0], [0, 1]]
    assert broken.get("image").storage_ref is None
    assert not list(output_dir.iterdir())

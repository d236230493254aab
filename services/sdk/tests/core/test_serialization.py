"""The wire format, key by key: checkpoints, lineage and packages depend on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Array, Artifact, Collection, CompositeData, DataFrame, DataObject, Series, StorageReference, Text
from scistudio.core.types.registry import TypeRegistry
from scistudio.core.types.serialization import _reconstruct_one, _serialise_one, reconstruct_value, serialise_value

pytestmark = pytest.mark.usefixtures("output_dir", "registry")


def over_the_wire(value: Any) -> Any:
    return reconstruct_value(json.loads(json.dumps(serialise_value(value))))


def test_an_array_has_exactly_these_keys() -> None:
    array = flush(Array(axes=["y", "x"], data=np.zeros((2, 3), "uint16"), user={"display_name": "a"}))
    wire = _serialise_one(array)
    assert list(wire) == ["backend", "path", "format", "metadata"]
    assert (wire["backend"], wire["format"]) == ("zarr", "zarr")
    metadata = wire["metadata"]
    assert metadata.pop("content_hash").startswith("blake3-1:")
    framework = metadata.pop("framework")
    assert set(framework) == {"created_at", "object_id", "source", "lineage_id", "derived_from"}
    assert framework["created_at"].endswith("Z")
    assert metadata == {
        "type_chain": ["DataObject", "Array"],
        "meta": None,
        "user": {"display_name": "a"},
        "axes": ["y", "x"],
        "shape": [2, 3],
        "dtype": "uint16",
        "chunk_shape": None,
    }


def extras(obj: DataObject) -> dict[str, Any]:
    common = {"type_chain", "framework", "meta", "user", "content_hash"}
    return {key: value for key, value in _serialise_one(obj)["metadata"].items() if key not in common}


def test_the_other_types_have_exactly_their_extras(tmp_path: Path) -> None:
    ref = StorageReference("arrow", str(tmp_path / "t.parquet"))
    assert extras(flush(DataFrame(data={"a": [1, 2]}))) == {"columns": ["a"], "row_count": 2, "schema": {}}
    assert extras(DataFrame(storage_ref=ref)) == {"columns": [], "row_count": None, "schema": {}}
    assert extras(flush(Series(data=[1.0], value_name="v"))) == {"index_name": None, "value_name": "v", "length": 1}
    assert extras(flush(Text(content="ä", format="json"))) == {"content": "ä", "format": "json", "encoding": "utf-8"}
    artifact = Artifact(file_path=tmp_path / "a.pdf", mime_type="application/pdf")
    assert extras(artifact) == {"file_path": str(tmp_path / "a.pdf"), "mime_type": "application/pdf", "description": ""}
    assert [_serialise_one(artifact)[key] for key in ("backend", "path", "format")] == [None, None, None]


def test_a_composite_carries_each_slot_with_its_own_reference() -> None:
    bundle = flush(CompositeData(slots={"image": Array(axes=["x"], data=np.arange(3)), "note": Text(content="n")}))
    wire = _serialise_one(bundle)
    assert wire["backend"] == wire["format"] == "composite"
    slots = wire["metadata"]["slots"]
    assert slots["image"]["path"] == f"{wire['path']}/image/data.zarr"
    back = over_the_wire(bundle)
    assert back.get("image").to_numpy().tolist() == [0, 1, 2]
    assert back.get("note").content == "n"


def test_a_collection_is_an_envelope() -> None:
    texts = Collection([flush(Text(content=str(i))) for i in range(2)])
    wire = serialise_value(texts)
    assert {key: wire[key] for key in ("_collection", "item_type")} == {"_collection": True, "item_type": "Text"}
    back = over_the_wire(texts)
    assert isinstance(back, Collection)
    assert [item.content for item in back] == ["0", "1"]
    assert over_the_wire(Collection([], item_type=Array)).item_type is Array


@pytest.mark.parametrize("value", [None, 1, "a", [1, {"b": None}], {"backend": "x"}])
def test_other_json_passes_through(value: object) -> None:
    assert over_the_wire(value) == value


def test_a_bare_object_without_metadata_is_a_data_object() -> None:
    back = reconstruct_value({"backend": "zarr", "path": "/a", "metadata": {}})
    assert type(back) is DataObject


def test_objects_survive_the_wire_with_identity_and_content_hash() -> None:
    array = flush(Array(axes=["y", "x"], data=np.arange(6.0).reshape(2, 3), user={"k": [1]}))
    back = over_the_wire(array)
    assert back.framework == array.framework
    assert (back.axes, back.shape, back.dtype, back.user) == (["y", "x"], (2, 3), "float64", {"k": [1]})
    assert array.storage_ref is not None
    assert back.storage_ref.content_hash == array.storage_ref.content_hash
    assert back.storage_ref.metadata == _serialise_one(array)["metadata"]
    assert _serialise_one(back) == _serialise_one(array)


def test_long_texts_stay_in_storage() -> None:
    text = flush(Text(content="x" * (64 * 1024 + 1)))
    assert _serialise_one(text)["metadata"]["content"] is None
    back = over_the_wire(text)
    assert back.content == back.to_memory() == text.content


class Tuned(Array):
    class Meta(BaseModel):
        gain: float
        note: str = ""


def test_metadata_without_the_values_it_needs_stays_none(registry: TypeRegistry) -> None:
    registry.register_class(Tuned)
    assert over_the_wire(flush(Tuned(axes=["x"], data=np.zeros(1)))).meta is None
    assert over_the_wire(flush(Tuned(axes=["x"], data=np.zeros(1), meta=Tuned.Meta(gain=2)))).meta == Tuned.Meta(gain=2)


def test_an_unknown_type_loses_nothing_on_its_way_through(caplog: pytest.LogCaptureFixture) -> None:
    wire = _serialise_one(flush(Tuned(axes=["x"], data=np.zeros(1), meta=Tuned.Meta(gain=2))))
    wire["metadata"]["extra_of_the_package"] = 7
    back = _reconstruct_one(wire)
    assert type(back) is Array
    assert "Tuned" in caplog.text
    assert _serialise_one(back) == wire


def test_what_cannot_travel_is_refused() -> None:
    with pytest.raises(ValueError, match="Cannot serialise Array: storage_ref is None"):
        _serialise_one(Array(axes=["x"], data=[1]))
    with pytest.raises(ValueError, match="Cannot serialise int"):
        _serialise_one(1)
    with pytest.raises(ValueError, match="wire form is a dict"):
        _reconstruct_one("x")
    with pytest.raises(ValueError, match="Failed to reconstruct Array from payload: Duplicate axes"):
        _reconstruct_one({"metadata": {"type_chain": ["DataObject", "Array"], "axes": ["x", "x"]}})

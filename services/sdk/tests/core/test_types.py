"""Data objects in memory: what block authors write every day."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scistudio
from pydantic import BaseModel, ConfigDict, ValidationError
from scistudio.core.meta import FrameworkMeta
from scistudio.core.types import (
    Array,
    Artifact,
    Collection,
    CompositeData,
    DataFrame,
    DataObject,
    Series,
    StorageReference,
    Text,
    TypeSignature,
)
from scistudio.core.types.base import same_registered_type
from scistudio.core.units import PhysicalQuantity


class Image(Array):
    """An image for these tests."""

    required_axes = frozenset({"y", "x"})
    allowed_axes = frozenset({"t", "z", "c", "y", "x"})

    class Meta(BaseModel):
        model_config = ConfigDict(frozen=True)
        gain: float = 1.0
        source_file: str | None = None


def test_the_version_is_that_of_the_distribution() -> None:
    assert scistudio.__version__ == "0.4.0"


def test_shape_and_type_are_taken_from_the_data() -> None:
    array = Array(axes=["y", "x"], data=np.zeros((2, 3), dtype="uint8"))
    assert (array.shape, array.dtype, array.ndim) == ((2, 3), "uint8", 2)
    assert Array(axes=["x"], data=[1.5, 2.5]).shape == (2,)
    late = Array(axes=["x"])
    late._data = np.zeros(4)
    assert late.shape == (4,)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (["y", "y", "x"], r"Duplicate axes in \['y', 'y', 'x'\]"),
        (["t"], r"Image requires axes \['x', 'y'\], missing: \['x', 'y'\]"),
        (["y", "x", "q"], r"Image accepts only \['c', 't', 'x', 'y', 'z'\], unexpected: \['q'\]"),
    ],
)
def test_axes_that_do_not_fit_the_class_are_refused(axes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Image(axes=axes)


def test_axes_and_dimensions_must_agree() -> None:
    with pytest.raises(ValueError, match=r"2 axes .* but its data has 3 dimensions"):
        Array(axes=["y", "x"], data=np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match=r"2 axes .* but its shape has 1 dimensions"):
        Array(axes=["y", "x"], shape=(1,))


def test_arrays_take_no_positional_arguments() -> None:
    with pytest.raises(TypeError):
        Array(["y", "x"])  # type: ignore[call-arg]


def test_objects_in_memory_give_their_payload_back(tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(b"%PDF")
    assert DataFrame(data={"a": [1]}).to_memory() == pa.table({"a": [1]})
    assert Series(data=[1.0], value_name="v").to_memory() == pa.table({"v": [1.0]})
    assert Text(content="hi").to_memory() == "hi"
    assert Artifact(file_path=file).to_memory() == b"%PDF"
    assert np.asarray(Array(axes=["x"], data=np.arange(3))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("empty", [DataObject(), Array(axes=["x"]), Series(), DataFrame(), Text(), Artifact()])
def test_an_object_without_payload_says_so(empty: DataObject) -> None:
    with pytest.raises(ValueError, match="no storage reference set"):
        empty.to_memory()
    with pytest.raises(ValueError, match="has no in-memory data to persist"):
        empty.get_in_memory_data()
    with pytest.raises(ValueError, match="no storage reference"):
        next(empty.iter_chunks(1))


def test_user_metadata_must_be_json() -> None:
    with pytest.raises(TypeError, match="DataObject user metadata must be JSON-serialisable: "):
        DataObject(user={"a": np.zeros(2)})
    given = {"a": 1}
    assert DataObject(user=given).user is not given


def test_changed_metadata_makes_a_derived_copy_that_keeps_everything_else() -> None:
    data = np.ones((2, 3))
    image = Image(axes=["y", "x"], data=data, meta=Image.Meta(), user={"k": 1}, chunk_shape=(1, 3))
    changed = image.with_meta(gain=2)
    assert (changed.meta.gain, image.meta.gain) == (2.0, 1.0)
    assert changed.framework.derived_from == image.framework.object_id
    assert changed.framework.object_id != image.framework.object_id
    assert changed.to_memory() is data
    assert (type(changed), changed.axes, changed.chunk_shape) == (Image, ["y", "x"], (1, 3))
    assert changed.user == {"k": 1}
    assert changed.user is not image.user


@pytest.mark.parametrize("changes", [{"gian": 2}, {"gain": "loud"}])
def test_changes_that_do_not_fit_the_metadata_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises((ValueError, ValidationError), match=r"gian|gain"):
        Image(axes=["y", "x"], meta=Image.Meta()).with_meta(**changes)
    with pytest.raises(ValueError, match="no meta"):
        Image(axes=["y", "x"]).with_meta(gain=1)


def test_the_old_names_of_the_payload_are_one_slot() -> None:
    frame = DataFrame()
    frame._arrow_table = pa.table({"a": [1]})
    assert frame._data is frame._transient_data is frame._arrow_table
    assert (frame.columns, frame.row_count) == (["a"], 1)
    del frame._data
    assert frame._arrow_table is None


def test_collections_hold_one_type() -> None:
    one, other = Array(axes=["x"], data=[1]), Text(content="a")
    assert repr(Collection([one])) == "Collection[Array](length=1)"
    assert Collection([one, other], item_type=DataObject).length == 2
    with pytest.raises(TypeError, match=r"Collection requires homogeneous types: item\[1\] is Text, expected Array"):
        Collection([one, other])
    with pytest.raises(TypeError, match="item_type is required for empty Collection"):
        Collection([])
    with pytest.raises(TypeError, match=r"item\[0\] is int"):
        Collection([1])
    assert not Collection([], item_type=Array)
    assert Collection[Array] is Collection


def test_collections_read_like_sequences() -> None:
    items = [Text(content=str(i)) for i in range(3)]
    collection = Collection(items)
    assert collection[1] is items[1]
    assert collection[1:] == items[1:]
    assert list(collection) == collection.open() == items
    assert collection.open_one() is items[0]
    assert collection.storage_refs == [None] * 3
    with pytest.raises(IndexError):
        collection[3]


def test_composites_check_their_declared_slots() -> None:
    class Labelled(CompositeData):
        expected_slots = {"image": Array}  # noqa: RUF012 - the contract's own spelling

    bundle = Labelled(slots={"image": Array(axes=["x"], data=[1]), "note": Text(content="n")})
    assert bundle.slot_names == ["image", "note"]
    assert bundle.slot_types() == {"image": Array}
    with pytest.raises(TypeError, match=r"Slot 'image' expects Array, got Text\."):
        bundle.set("image", Text(content=""))
    with pytest.raises(KeyError, match=r"Slot 'x' is not populated\."):
        bundle.get("x")


def test_signatures_match_by_name_from_the_general_end() -> None:
    class Mask(Image):
        pass

    mask, image = TypeSignature.from_type(Mask), TypeSignature.from_type(Image)
    assert mask.type_chain == ["DataObject", "Array", "Image", "Mask"]
    assert mask.matches(image)
    assert not image.matches(mask)
    assert image.required_axes == frozenset({"x", "y"})
    assert TypeSignature.from_type(DataFrame).type_chain == ["DataObject", "DataFrame"]
    assert same_registered_type(Image, type("Image", (Array,), {}))
    assert not same_registered_type(Image, int)


def test_descent_is_kept_when_metadata_is_derived() -> None:
    first = FrameworkMeta(source="a.tif", lineage_id="l")
    second = first.derive(source="b")
    assert (second.derived_from, second.source, second.lineage_id) == (first.object_id, "b", "l")
    assert first.with_lineage_id("m").object_id == first.object_id


def test_references_are_plain_paths() -> None:
    assert StorageReference("zarr", "file:///tmp/a%20b.zarr").path == "/tmp/a b.zarr"
    assert StorageReference("zarr", "a\\b").path == "a/b"
    assert StorageReference("zarr", "a") == StorageReference("zarr", "a")


def test_the_scale_follows_a_selection() -> None:
    step = PhysicalQuantity(0.5, "um")
    array = Array(axes=["z", "y"], data=np.zeros((4, 6)), scale={"z": step, "y": step})
    assert array.sel(z=0, y=slice(None, None, 2)).scale == {"y": PhysicalQuantity(1.0, "um")}

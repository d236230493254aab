"""Bounded reads of stored data, through the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio.core.types import Array, Artifact, DataFrame, Text
from scistudio_panels.reads.arrays import window
from scistudio_platform.errors import Kind, RemoteError
from scistudio_proto.panels.v1 import panels_pb2 as pb


def values_of(part: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(part.body, dtype=part.metadata["dtype"]).reshape(part.metadata["shape"])


def table_of(part: Any) -> pa.Table:
    with pa.ipc.open_stream(part.body) as reader:
        return reader.read_all()


async def test_a_tile_holds_the_pixels_asked_for(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    image = np.arange(5 * 40 * 30, dtype=">u2").reshape(5, 40, 30)
    outputs["image"] = store(Array(axes=["z", "y", "x"], data=image))
    part = await read("image", array=pb.ArrayRead(indices={"z": 3}, y=10, x=20, height=7, width=100))
    assert part.media_type == "application/vnd.scistudio.array"
    np.testing.assert_array_equal(values_of(part), image[3, 10:17, 20:])
    assert part.metadata["dtype"] == "<u2"
    assert part.metadata["origin"] == [10, 20]
    assert (part.metadata["vmin"], part.metadata["vmax"]) == (int(image[3, 10:17, 20:].min()), int(image[3, 10:17, 20:].max()))


async def test_a_large_plane_comes_strided_within_the_bound(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    image = np.random.default_rng(1).integers(0, 255, (1000, 300), dtype=np.uint8)
    outputs["image"] = store(Array(axes=["y", "x"], data=image))
    part = await read("image", array=pb.ArrayRead(max_side=200))
    assert part.metadata["step"] == [5, 2]
    np.testing.assert_array_equal(values_of(part), image[::5, ::2])
    assert part.metadata["full_shape"] == [1000, 300]


@pytest.mark.parametrize(
    ("axes", "shape"), [(["x"], (7,)), ([], ()), (["x", "y"], (4, 6)), (["y", "c", "x"], (4, 2, 6)), (["a", "b"], (3, 5))]
)
async def test_any_axes_give_a_picture_with_y_first(
    read: Any, store: Any, outputs: dict[str, Any], axes: list[str], shape: tuple[int, ...]
) -> None:
    data = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
    outputs["image"] = store(Array(axes=axes, data=data))
    expected = data[:, 0, :] if axes == ["y", "c", "x"] else data
    part = await read("image", array=pb.ArrayRead())
    shown = ["y", "x"] if set(axes) >= {"y", "x"} else axes
    np.testing.assert_array_equal(values_of(part), expected.T if axes == ["x", "y"] else expected)
    assert part.metadata["axes"] == shown


async def test_what_is_not_finite_leaves_the_range_alone(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    outputs["image"] = store(Array(axes=["y", "x"], data=np.array([[1.5, np.nan], [np.inf, 2.5]], dtype=np.float32)))
    part = await read("image", array=pb.ArrayRead())
    assert (part.metadata["vmin"], part.metadata["vmax"], part.metadata["n_not_finite"]) == (1.5, 2.5, 2)


async def test_a_page_of_a_table_keeps_long_integers_and_knows_the_whole(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    ids = [1700000000000000011 + i for i in range(200_000)]
    outputs["table"] = store(DataFrame.from_arrow(pa.table({"id": pa.array([None, *ids[1:]]), "n": range(200_000)})))
    part = await read("table", table=pb.TableRead(offset=65_530, limit=10))
    assert table_of(part)["id"].to_pylist() == ids[65_530:65_540]
    assert (part.metadata["total_rows"], part.metadata["offset"]) == (200_000, 65_530)
    assert len(part.body) < 4000


async def test_a_page_beyond_the_end_is_empty_with_its_columns(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    outputs["table"] = store(DataFrame.from_arrow(pa.table({"a": [1], "b": ["x"]})))
    part = await read("table", table=pb.TableRead(offset=99, columns=["b"]))
    assert table_of(part).schema.names == ["b"]
    assert table_of(part).num_rows == 0


async def test_a_long_text_comes_in_pieces_that_cut_no_character(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    whole = "aµ€😀" * 20_000
    outputs["text"] = store(Text(content=whole))
    text, offset = "", 0
    while offset is not None:
        part = await read("text", text=pb.TextRead(offset=offset, limit=50_001))
        text, offset = text + part.body.decode(), part.metadata["next_offset"]
    assert text == whole


async def test_a_file_comes_with_its_type_in_parts(read: Any, store: Any, outputs: dict[str, Any], project: Path) -> None:
    path = project / "data" / "größe 5%.png"
    path.write_bytes(bytes(600_000))
    outputs["file"] = store(Artifact(file_path=path))
    part = await read("file", file=pb.FileRead())
    assert (part.media_type, len(part.body), part.n_parts) == ("image/png", 600_000, 3)
    assert part.metadata["file_name"] == "größe 5%.png"


async def test_descriptions_tell_what_the_data_is(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    outputs["table"] = store(DataFrame.from_arrow(pa.table({"a": [1]})))
    outputs["image"] = store(Array(axes=["y", "x"], data=np.zeros((2, 3))))
    assert (await read("table")).metadata["columns"] == [{"name": "a", "type": "int64"}]
    assert (await read("image")).metadata["shape"] == [2, 3]


async def fault(read: Any, *arguments: Any, **keywords: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await read(*arguments, **keywords)
    return caught.value


async def test_reads_that_do_not_fit_say_what_would(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    outputs["table"] = store(DataFrame.from_arrow(pa.table({"a": [1]})))
    outputs["image"] = store(Array(axes=["y", "x"], data=np.zeros((2, 3))))
    assert (await fault(read, "table", array=pb.ArrayRead())).hint == "It can be read as: table."
    assert "no column 'z'" in (await fault(read, "table", table=pb.TableRead(columns=["z"]))).message
    assert "no axis 't'" in (await fault(read, "image", array=pb.ArrayRead(indices={"t": 0}))).message
    assert (await fault(read, "image", 1)).code == "data.no_such_item"


async def test_removed_and_damaged_data_is_told_from_a_bug(read: Any, store: Any, outputs: dict[str, Any]) -> None:
    outputs["gone"] = store(DataFrame.from_arrow(pa.table({"a": [1]})))
    outputs["broken"] = store(DataFrame.from_arrow(pa.table({"a": [1]})))
    Path(outputs["gone"]["path"]).unlink()
    Path(outputs["broken"]["path"]).write_bytes(b"PAR1 nothing")
    gone, broken = await fault(read, "gone", table=pb.TableRead()), await fault(read, "broken", table=pb.TableRead())
    assert (gone.kind, gone.code) == (Kind.NOT_FOUND, "data.removed")
    assert (broken.kind, broken.code) == (Kind.CONFLICT, "data.unreadable")
    assert "Run the block again" in gone.hint


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../etc/passwd", "data/../../x", "file:///etc/passwd", "s3://bucket/x", "link/passwd", "a\0b"]
)
async def test_a_reference_that_leaves_the_project_is_refused(read: Any, project: Path, path: str) -> None:
    (project / "link").symlink_to("/etc")
    file = {"backend": None, "path": None, "format": None, "metadata": {"type_chain": ["DataObject", "Artifact"], "file_path": path}}
    stored = {"backend": "filesystem", "path": path, "format": None, "metadata": {"type_chain": ["DataObject", "Text"]}}
    slot = {"backend": None, "path": None, "metadata": {"type_chain": ["DataObject", "CompositeData"], "slots": {"s": stored}}}
    for reference in (file, stored, slot):
        error = await fault(read, reference=reference, text=pb.TextRead())
        assert (error.kind, error.code) == (Kind.DENIED, "data.outside_project")


async def test_a_reference_within_the_project_is_read(read: Any, store: Any) -> None:
    part = await read(reference=store(DataFrame.from_arrow(pa.table({"a": [7]}))), table=pb.TableRead())
    assert table_of(part)["a"].to_pylist() == [7]


@pytest.mark.parametrize("reference", ["", "{", "[]", "{}", '{"metadata": 1}', '{"metadata": {"type_chain": 5}}'])
async def test_what_is_no_reference_is_told_so(read: Any, reference: str) -> None:
    assert (await fault(read, reference=reference)).code == "data.bad_reference"


@given(st.integers(0, 10_000), st.integers(-5, 20_000), st.integers(0, 20_000), st.integers(1, 2048))
def test_a_window_lies_within_its_axis_and_its_bound(size: int, start: int, length: int, max_side: int) -> None:
    found = window(size, start, length, max_side)
    shown = len(range(size)[found.slice])
    assert shown <= max_side
    assert 0 <= found.start <= max(size - 1, 0)
    assert found.start + found.length <= size

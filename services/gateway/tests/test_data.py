"""Reads of data: handed on part by part, described in a header, and never a page of somebody else's making."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_gateway.domain.exact_json import ascii_json, read_json
from scistudio_gateway.domain.outputs import port_content
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.testing import eventually
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler

ReadAnswer = Callable[..., list[Any]]
OUTPUT = "/projects/p/runs/r/nodes/n/outputs/image"


def wire(chain: list[str], **metadata: Any) -> dict[str, Any]:
    return {"backend": "zarr", "path": "x", "metadata": {"type_chain": ["DataObject", *chain], "framework": {}, "meta": None, **metadata}}


ITEMS = [
    wire(["Array", "Image"], shape=[512, 640], dtype="uint8", axes=["y", "x"], user={"display_name": "cells"}),
    wire(["DataFrame"], row_count=344, columns=["a", "b"], meta={"source_file": "data/raw/penguins.csv"}),
    wire(["Series"], length=12_345, framework={"source": "C:\\data\\spectrum.txt"}),
    wire(["Text"], content="first line\n  second", framework={"source": "no path"}),
    wire(["Artifact"], mime_type="image/png", file_path="/data/plot.png"),
    wire(["CompositeData"], slots={"points": {}, "image": {}}),
    wire(["Odd"], description="unheard of"),
    {"_value": "42"},
]
SHOWN = [
    ("cells", "Image", "array", "512 × 640 uint8 (y, x)"),
    ("penguins.csv", "DataFrame", "table", "344 rows × 2 columns"),
    ("spectrum.txt", "Series", "table", "12,345 values"),
    ("item_3", "Text", "text", "first line second"),
    ("plot.png", "Artifact", "file", "image/png"),
    ("item_5", "CompositeData", "composite", "points, image"),
    ("item_6", "Odd", "object", "unheard of"),
    ("item_7", "", "object", "42"),
]


def output(value: Any) -> scheduler.GetOutputResponse:
    return scheduler.GetOutputResponse(value=PortValue(port="image", value_json=json.dumps(value)))


async def test_items_on_a_port_are_listed_by_the_page(http: httpx2.AsyncClient, others: Any) -> None:
    others.scheduler.answers["GetOutput"] = output({"_collection": True, "item_type": "DataObject", "items": ITEMS})
    page = (await http.get(f"{OUTPUT}?limit=5")).json()
    rest = (await http.get(f"{OUTPUT}?limit=5&cursor={page['next_cursor']}")).json()
    assert (page["port"], page["type_name"], page["n_items"], rest["next_cursor"]) == ("image", "DataObject", 8, None)
    items = [*page["items"], *rest["items"]]
    assert [item["index"] for item in items] == list(range(8))
    assert [(item["name"], item["type_name"], item["kind"], item["summary"]) for item in items] == SHOWN


@pytest.mark.parametrize(("value", "name"), [(ITEMS[0], "Image"), (7, ""), (None, ""), ([1, 2], ""), ({"a": 1}, "")])
def test_one_object_alone_is_one_item(value: Any, name: str) -> None:
    content = port_content(value)
    assert (content.type_name, len(content.items(0, 5))) == (name, 1)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_lies_on_a_port_can_be_listed(value: Any) -> None:
    port_content(value).items(0, 100)


@given(st.integers())
def test_no_integer_loses_a_digit_on_its_way(number: int) -> None:
    read = read_json(json.dumps({"n": number}))["n"]
    assert int(read) == number
    assert isinstance(read, str) == (abs(number) > 2**53 - 1)


@given(st.text())
def test_what_goes_into_a_header_is_ascii_on_one_line(text: str) -> None:
    header = ascii_json({text: text})
    assert header.isascii()
    assert header.isprintable()
    assert json.loads(header) == {text: text}


async def test_an_item_is_described(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    others.panels.answers["Read"] = read_answer({"shape": [3], "largest": "9007199254740993"}, [], "application/json")
    assert (await http.get(f"{OUTPUT}/3")).json() == {"shape": [3], "largest": "9007199254740993"}
    asked = others.panels.requests["Read"][-1]
    assert (asked.output.run_id, asked.output.node_id, asked.output.port, asked.output.index) == ("r", "n", "image", 3)
    assert asked.WhichOneof("read") == "describe"


async def test_a_tile_comes_as_the_bytes_it_is(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    parts = [bytes(range(256)) * 1024] * 5
    metadata = {"shape": [2, 3], "dtype": "<u2", "vmin": float("nan"), "name": "µ ✓\n"}
    others.panels.answers["Read"] = read_answer(metadata, parts, "application/vnd.scistudio.array")
    answer = await http.get(f"{OUTPUT}/0/array?y=1&x=2&height=3&width=4&max_side=2048&index=z:7&index=a:b:1")
    assert answer.content == b"".join(parts)
    assert answer.headers["content-type"] == "application/vnd.scistudio.array"
    assert json.loads(answer.headers["scistudio-data"]) == {"shape": [2, 3], "dtype": "<u2", "vmin": "NaN", "name": "µ ✓\n"}
    asked = others.panels.requests["Read"][-1].array
    assert (asked.y, asked.x, asked.height, asked.width, asked.max_side, dict(asked.indices)) == (1, 2, 3, 4, 2048, {"z": 7, "a:b": 1})


async def test_rows_and_text_are_read_as_asked(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    others.panels.answers["Read"] = read_answer({"total_rows": 9}, [b"arrow"], "application/vnd.apache.arrow.stream")
    table = await http.get(f"{OUTPUT}/0/table?offset=5&limit=10000&column=a&column=b%2Cc")
    asked = others.panels.requests["Read"][-1].table
    assert (table.content, asked.offset, asked.limit, list(asked.columns)) == (b"arrow", 5, 10_000, ["a", "b,c"])
    others.panels.answers["Read"] = read_answer({"truncated": True}, ["µ".encode()], "text/plain; charset=utf-8")
    text = await http.get(f"{OUTPUT}/0/text?offset=3&limit=100")
    assert (text.text, text.headers["content-type"]) == ("µ", "text/plain; charset=utf-8")


async def test_an_error_before_the_first_part_is_a_problem(http: httpx2.AsyncClient, others: Any) -> None:
    others.panels.answers["Read"] = RemoteError(Kind.NOT_FOUND, "data.gone", "The file is gone.")
    answer = await http.get(f"{OUTPUT}/0/array")
    assert (answer.status_code, answer.json()["code"]) == (404, "data.gone")
    others.panels.answers["Read"] = []
    assert (await http.get(f"{OUTPUT}/0/array")).json()["code"] == "data.no_answer"


async def test_a_description_that_fits_no_header_is_refused(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    others.panels.answers["Read"] = read_answer({"columns": ["x" * 100] * 600}, [b""], "x/y")
    assert (await http.get(f"{OUTPUT}/0/table")).json()["code"] == "data.header_too_large"


async def test_an_answer_that_breaks_in_the_middle_is_not_taken_for_a_whole_one(
    http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer
) -> None:
    async def breaking(_: Any) -> AsyncIterator[Any]:
        for part in read_answer({}, [b"x" * 1000], "x/y"):
            yield part
        raise RemoteError(Kind.INTERNAL, "data.broken", "The shard is damaged.")

    others.panels.answers["Read"] = breaking
    with pytest.raises(httpx2.RemoteProtocolError):
        await http.get(f"{OUTPUT}/0/array")


async def test_a_read_ends_when_its_caller_goes(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    ended = asyncio.Event()

    async def endless(_: Any) -> AsyncIterator[Any]:
        try:
            yield read_answer({}, [], "x/y")[0]
            while True:
                yield read_answer({}, [b"x" * 65536], "x/y")[1]
        finally:
            ended.set()

    others.panels.answers["Read"] = endless
    async with http.stream("GET", f"{OUTPUT}/0/array") as answer:
        assert answer.status_code == 200
        await anext(answer.aiter_bytes())
    await eventually(ended.is_set)

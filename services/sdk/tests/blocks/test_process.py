from __future__ import annotations

from typing import Any, ClassVar

import pyarrow as pa
import pytest
from scistudio.blocks.base import BlockConfig, InputPort, OutputPort
from scistudio.blocks.process import ProcessBlock
from scistudio.blocks.process.builtins import (
    FilterCollection,
    MergeBlock,
    MergeCollection,
    SliceCollection,
    SplitBlock,
    SplitCollection,
)
from scistudio.core.types import Array, Collection, DataFrame, DataObject, Series, Text


class Recording(ProcessBlock):
    """Notes which hooks are called."""

    input_ports: ClassVar[list[InputPort]] = [InputPort(name="second", accepted_types=[Text]), InputPort(name="x", accepted_types=[])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="made", accepted_types=[DataFrame])]
    calls: ClassVar[list[str]] = []

    def setup(self, config: BlockConfig) -> str:
        self.calls.append("setup")
        return "state"

    def process_item(self, item: Any, config: BlockConfig, state: Any = None) -> Any:
        if item.content == "bad":
            raise ValueError("bad item")
        return DataFrame(data={"c": [item.content, state]})

    def teardown(self, state: Any) -> None:
        self.calls.append(f"teardown {state}")


class TwoArguments(ProcessBlock):
    """Written without the state."""

    def process_item(self, item: Any, config: BlockConfig) -> Any:  # type: ignore[override]
        return Text(content=item.content + "!")


def texts(*contents: str, **user: Any) -> Collection:
    return Collection([Text(content=content, user={"n": n, **user}) for n, content in enumerate(contents)], item_type=Text)


def contents(collection: Collection) -> list[str]:
    return [item.content for item in collection]


def run(block: ProcessBlock, **inputs: Any) -> dict[str, Any]:
    return block.run(inputs, block.config)


def test_every_item_of_the_first_declared_port_is_processed() -> None:
    Recording.calls.clear()
    made = Recording().run({"x": texts("no"), "second": texts("a", "b")}, BlockConfig())["made"]
    assert [item.to_memory()["c"].to_pylist() for item in made] == [["a", "state"], ["b", "state"]]
    assert made.item_type is DataFrame
    assert Recording.calls == ["setup", "teardown state"]


def test_teardown_follows_an_item_that_raises() -> None:
    Recording.calls.clear()
    with pytest.raises(ValueError, match="bad item"):
        run(Recording(), second=texts("a", "bad"))
    assert Recording.calls == ["setup", "teardown state"]


def test_an_override_may_leave_out_the_state_and_a_bare_input_is_one_item() -> None:
    assert contents(run(TwoArguments(), anything=Text(content="a"))["output"]) == ["a!"]


def test_an_empty_collection_gives_an_empty_one_and_no_input_names_the_port() -> None:
    assert run(Recording(), second=texts())["made"].item_type is Text
    with pytest.raises(ValueError, match="Recording got no input: connect something to port 'second'"):
        run(Recording())


def test_merging_keeps_the_order_of_the_ports() -> None:
    merged = MergeCollection().run({"input_2": texts("c"), "input_1": texts("a", "b"), "more": texts("d")}, BlockConfig())
    assert contents(merged["output"]) == ["a", "b", "c", "d"]


def test_merging_takes_the_nearest_type_in_common_and_refuses_strangers() -> None:
    class Spectrum(Series):
        pass

    left, right = Collection([], item_type=Spectrum), Collection([], item_type=Series)
    assert run(MergeCollection(), input_1=left, input_2=right)["output"].item_type is Series
    assert run(MergeCollection(), input_1=texts("a"), input_2=Collection([], item_type=DataObject))["output"].item_type is DataObject
    with pytest.raises(TypeError, match=r"different item types: Text vs Array \(port 'input_2'\)"):
        run(MergeCollection(), input_1=texts("a"), input_2=Collection([], item_type=Array))
    with pytest.raises(TypeError, match="port 'input_1' is not a Collection"):
        run(MergeCollection(), input_1=Text(content="a"))
    with pytest.raises(ValueError, match="at least one connected input Collection"):
        run(MergeCollection())


@pytest.mark.parametrize(
    ("config", "out", "remainder"),
    [
        ({}, ["a"], ["b", "c", "d", "e"]),
        ({"mode": "head", "n": 2}, ["a", "b"], ["c", "d", "e"]),
        ({"mode": "ratio", "ratio": 0.5}, ["a", "b"], ["c", "d", "e"]),
        ({"mode": "every", "n": 2}, ["a", "c", "e"], ["b", "d"]),
    ],
)
def test_a_collection_is_split_in_order(config: dict[str, Any], out: list[str], remainder: list[str]) -> None:
    made = run(SplitCollection(config), data=texts("a", "b", "c", "d", "e"))
    assert (contents(made["out"]), contents(made["remainder"])) == (out, remainder)


@pytest.mark.parametrize(
    ("field", "op", "value", "out"),
    [
        ("user.n", "ge", 1, ["b", "c"]),
        ("user.n", "in", [0, 2], ["a", "c"]),
        ("user.group", "eq", "x", ["a", "b", "c"]),
        ("user.absent", "ne", 1, []),
        ("framework.source", "eq", "", ["a", "b", "c"]),
        ("user.group", "regex", "^[xy]$", ["a", "b", "c"]),
        ("meta.laser_nm", "eq", 1, []),
    ],
)
def test_a_collection_is_filtered_by_metadata(field: str, op: str, value: Any, out: list[str]) -> None:
    made = run(FilterCollection({"field": field, "op": op, "value": value}), data=texts("a", "b", "c", group="x"))
    assert contents(made["out"]) == out
    assert len(made["out"]) + len(made["remainder"]) == 3


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"field": "color", "value": 1}, "Unknown field 'color'"),
        ({"field": "user.n", "op": "like", "value": 1}, "Unknown comparison: like"),
        ({"field": "user.n", "op": "lt", "value": "x"}, "cannot be compared"),
    ],
)
def test_a_filter_that_cannot_be_applied_is_explained(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(FilterCollection(config), data=texts("a"))


def test_a_slice_follows_pythons_rules_and_may_be_empty() -> None:
    assert contents(run(SliceCollection({"start": -2}), data=texts("a", "b", "c"))["out"]) == ["b", "c"]
    assert contents(run(SliceCollection({"step": -1}), data=texts("a", "b"))["out"]) == ["b", "a"]
    empty = run(SliceCollection({"start": 9}), data=texts("a"))["out"]
    assert (len(empty), empty.item_type) == (0, Text)


def test_tables_are_put_under_each_other() -> None:
    left, right = DataFrame(data={"a": [1]}), DataFrame(data={"a": [2], "b": ["x"]})
    merged = run(MergeBlock(), left=Collection([left]), right=Collection([right]))["merged"][0].to_memory()
    assert merged.to_pydict() == {"a": [1, 2], "b": [None, "x"]}


@pytest.mark.parametrize(
    ("config", "out"),
    [({"n": 1}, [1]), ({"mode": "ratio", "ratio": 0.7}, [1, None]), ({"mode": "filter", "column": "a", "value": 3}, [3])],
)
def test_rows_are_split_and_none_is_lost(config: dict[str, Any], out: list[Any]) -> None:
    table = DataFrame(data=pa.table({"a": [1, None, 3]}))
    made = run(SplitBlock(config), data=Collection([table]))
    assert made["out"][0].to_memory()["a"].to_pylist() == out
    assert made["out"][0].to_memory().num_rows + made["remainder"][0].to_memory().num_rows == 3

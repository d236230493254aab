from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort, PackageInfo, progress
from scistudio.blocks.process.builtins import SliceCollection
from scistudio.core.types import Array, Collection, Text
from scistudio.testing import BlockFailedError, BlockTestHarness, run_in_worker


class Sum(Block):
    """Adds up an array."""

    name: ClassVar[str] = "Sum"
    input_ports: ClassVar[list[InputPort]] = [InputPort(name="image", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="text", accepted_types=[Text])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        progress(0.5, "adding")
        if config.get("fail"):
            raise ValueError("asked to fail")
        return {"text": Text(content=str(inputs["image"][0].to_numpy().sum()))}


def test_a_good_block_has_no_problems_and_a_bad_one_all_of_them() -> None:
    class Half(Block):
        pass

    assert BlockTestHarness(Sum).validate_block() == []
    assert BlockTestHarness(int).validate_block() == ["int is not a Block subclass."]
    assert len(BlockTestHarness(Half).validate_block()) == 2


def test_the_answer_of_an_entry_point_is_checked() -> None:
    harness = BlockTestHarness(Sum)
    assert harness.validate_entry_point_callable((PackageInfo("p"), [Sum])) == []
    assert harness.validate_entry_point_callable([Sum]) == []
    assert harness.validate_entry_point_callable((PackageInfo(""), [int])) == [
        "PackageInfo.name must not be empty.",
        "[int] int is not a Block subclass.",
    ]
    assert harness.validate_entry_point_callable([]) == ["The list of blocks is empty."]
    assert harness.validate_entry_point_callable({}) == ["Expected a list of Block classes, got dict."]


def test_a_smoke_test_returns_the_raw_outputs() -> None:
    image = Array(axes=["x"], data=np.ones(3))
    assert BlockTestHarness(Sum).smoke_test({"image": Collection([image])})["text"].content == "3.0"
    with pytest.raises(TypeError):
        BlockTestHarness(int).smoke_test({})


def test_a_block_of_a_test_file_runs_in_a_worker_of_its_own(tmp_path: Path) -> None:
    ran = run_in_worker(Sum, {"image": Array(axes=["x"], data=np.ones(3))}, work_dir=tmp_path)
    assert ran.outputs["text"][0].content == "3.0"
    assert [message["message"] for message in ran.progress] == ["adding"]
    with pytest.raises(BlockFailedError, match="ValueError: asked to fail") as caught:
        run_in_worker(Sum, {"image": Array(axes=["x"], data=np.ones(3))}, {"fail": True}, work_dir=tmp_path)
    assert caught.value.code == "block.raised"
    assert 'raise ValueError("asked to fail")' in caught.value.traceback


def test_an_installed_block_runs_in_a_worker_by_its_module(tmp_path: Path) -> None:
    ran = run_in_worker(SliceCollection, {"data": [Text(content="a"), Text(content="b")]}, {"start": 1}, work_dir=tmp_path)
    assert [item.content for item in ran.outputs["out"]] == ["b"]

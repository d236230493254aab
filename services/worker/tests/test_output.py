"""What a block prints arrives as lines that are safe to show, however it prints."""

from __future__ import annotations

from typing import Any

import pytest
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_worker.output import MAX_LINE_BYTES, Lines, level_of

in_module_loop = pytest.mark.asyncio(loop_scope="module")


@in_module_loop
async def test_lines_arrive_in_order_and_safe(bench: Any) -> None:
    await bench.run("Prints")
    out = [line for line in bench.lines if line.stream == "stdout"]
    assert [line.text for line in out] == ["first", "red and \u2400", "\\xff\\xfe raw", "100 %", "without a newline"]
    assert [line.text for line in bench.lines if line.level == "error"] == ["ERROR something odd"]
    assert [line.line for line in bench.lines] == list(range(1, len(bench.lines) + 1))


@in_module_loop
async def test_a_flood_is_cut_in_the_middle_and_keeps_its_end(bench: Any) -> None:
    assert (await bench.run("Floods", config={"lines": 5000})).outcome == pb.OUTCOME_DONE
    assert sum(len(text) for text in bench.texts) < 1_200_000
    cut = next(index for index, line in enumerate(bench.lines) if line.stream == "system")
    assert "4.0 MB were cut here" in bench.lines[cut].text or "MB were cut here" in bench.lines[cut].text
    assert bench.texts[-1] == "the end"


@in_module_loop
async def test_a_flood_is_cancelled_at_once(bench: Any) -> None:
    bench.start("FloodsForever")
    await eventually(lambda: len(bench.lines) > 500)
    bench.host.cancel("x1", "test")
    assert (await bench.result()).outcome == pb.OUTCOME_CANCELLED


@in_module_loop
async def test_a_flood_of_progress_becomes_a_few_reports(bench: Any) -> None:
    assert (await bench.run("Reports")).outcome == pb.OUTCOME_DONE
    assert 0 < len(bench.progress) < 2000
    assert bench.progress == sorted(bench.progress)


@in_module_loop
async def test_a_runner_that_comes_back_hears_the_latest_lines_again(bench: Any) -> None:
    bench.start("IgnoresTermination")
    await eventually(lambda: "ignoring" in bench.texts)
    bench.host.detach()
    heard = list(bench.lines)
    bench.lines.clear()
    bench.host.attach(bench.hear)
    assert bench.lines == heard
    assert bench.host.hello().running == ["x1"]


def test_a_line_without_end_comes_in_pieces() -> None:
    lines = Lines()
    texts = [text for _ in range(10) for text in lines.feed(b"x" * MAX_LINE_BYTES)] + lines.finish()
    assert sum(len(text) for text in texts) == 10 * MAX_LINE_BYTES
    assert max(len(text) for text in texts) <= MAX_LINE_BYTES


def test_a_progress_bar_without_newline_is_kept_short() -> None:
    lines = Lines()
    for percent in range(5000):
        assert lines.feed(f"\r{percent} of 5000".encode()) == []
    assert lines.finish() == ["4999 of 5000"]


def test_levels_are_read_from_standard_error() -> None:
    assert level_of("stderr", "INFO root: x") == "info"
    assert level_of("stderr", "/a/b.py:3: UserWarning: odd") == "warning"
    assert level_of("stderr", "Traceback (most recent call last):") == "error"
    assert level_of("stdout", "ERROR x") == "info"


@in_module_loop
async def test_a_result_that_came_between_hello_and_its_answer_is_told(bench: Any) -> None:
    bench.host.detach()
    id = bench.start("Trivial", id="late")
    assert id in bench.host.hello().running
    await eventually(lambda: list(bench.host.hello().finished))
    bench.host.attach(bench.hear)
    assert bench.results[id].outcome == pb.OUTCOME_DONE

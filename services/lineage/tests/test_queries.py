"""Following objects, and listing runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from scistudio_lineage.errors import InvalidPageToken, ObjectNotRecorded
from scistudio_lineage.settings import LineageSettings
from scistudio_platform.testing import make_settings

from .history import PROJECT, Parts, collection, executed, item, parts, started, whole_run


def ids(items: list[object]) -> list[str]:
    return [item.id for item in items]  # type: ignore[attr-defined]


async def test_an_object_is_followed_up_to_what_it_was_made_from(lineage: Parts) -> None:
    await lineage.record(*whole_run())
    history = await lineage.queries.trace(PROJECT, "o3", upwards=True)
    assert [made.id for made in history.objects] == ["o3", "o1", "o2"]
    assert {execution.node_id for execution in history.executions} == {"load", "split"}


async def test_an_object_is_followed_down_to_what_was_made_from_it(lineage: Parts) -> None:
    await lineage.record(*whole_run())
    history = await lineage.queries.trace(PROJECT, "o2", upwards=False)
    assert {made.id for made in history.objects} == {"o1", "o2", "o3"}
    assert {execution.node_id for execution in history.executions} == {"split", "fail"}


async def test_a_block_that_hands_an_object_on_is_not_its_maker(lineage: Parts) -> None:
    await lineage.record(*reversed(whole_run()))
    history = await lineage.queries.trace(PROJECT, "o1", upwards=True)
    assert [(made.id, made.made_by) for made in history.objects] == [("o1", "x-load")]


async def test_even_a_cycle_ends(lineage: Parts) -> None:
    await lineage.record(executed("a", {"in": item("o1")}, {"out": item("o2")}), executed("b", {"in": item("o2")}, {"out": item("o1")}))
    for upwards in (True, False):
        history = await lineage.queries.trace(PROJECT, "o1", upwards=upwards)
        assert {made.id for made in history.objects} == {"o1", "o2"}


async def test_a_trace_is_bounded(tmp_path: Path) -> None:
    async with parts(make_settings(LineageSettings, trace_limit=5), **{PROJECT: tmp_path}) as lineage:
        await lineage.record(executed("a", {"in": collection(*(f"i{n}" for n in range(20)))}, {"out": item("o")}))
        history = await lineage.queries.trace(PROJECT, "o", upwards=True)
    assert len(history.objects) == 5
    assert history.objects[0].id == "o"


async def test_an_unknown_object_is_named(lineage: Parts) -> None:
    with pytest.raises(ObjectNotRecorded, match="nope"):
        await lineage.queries.trace(PROJECT, "nope", upwards=True)


async def test_runs_are_listed_newest_first_in_pages(lineage: Parts) -> None:
    runs = [f"01a00000-0000-7000-8000-00000000000{n}" for n in range(5)]
    await lineage.record(*(started(run, at=n // 2) for n, run in enumerate(runs)))
    seen, token = [], ""
    for _ in range(3):
        page = await lineage.queries.page(PROJECT, workflow="", limit=2, token=token)
        seen += [run.id for run in page.runs]
        token = page.next_token
    assert (seen, token) == (runs[::-1], "")
    assert (await lineage.queries.page(PROJECT, workflow="other", limit=2, token="")).runs == []
    with pytest.raises(InvalidPageToken):
        await lineage.queries.page(PROJECT, workflow="", limit=2, token="x~y")

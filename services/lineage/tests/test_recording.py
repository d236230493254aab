"""What is recorded, in whatever order and however often it is told."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from scistudio_lineage.adapters.tables import TableBase
from scistudio_lineage.domain.objects import places
from scistudio_lineage.errors import ProjectUnwritable, RunNotRecorded
from scistudio_lineage.service import MIGRATIONS
from scistudio_lineage.settings import LineageSettings
from scistudio_platform.testing import make_settings
from scistudio_platform.testing.migrations import assert_migrations_match

from .history import PROJECT, RUN, Parts, collection, executed, item, parts, whole_run


def test_the_migrations_make_the_tables_of_the_models() -> None:
    assert_migrations_match(TableBase.metadata, MIGRATIONS)


async def test_a_run_is_recorded_with_its_executions_and_objects(lineage: Parts) -> None:
    await lineage.record(*whole_run())
    run, history = await lineage.queries.run(PROJECT, RUN)
    assert (run.state, run.commit, run.dirty, run.triggered_by, run.workflow_text) == ("failed", "abc", True, "cli", "nodes: …")
    assert run.ended_at is not None
    assert {execution.node_id: execution.state for execution in history.executions} == {
        "load": "done",
        "split": "done",
        "fail": "error",
        "never": "skipped",
    }
    by_node = {execution.node_id: execution for execution in history.executions}
    assert [(place.port, place.position, place.object_id) for place in by_node["load"].outputs] == [("out", 0, "o1"), ("out", 1, "o2")]
    assert by_node["fail"].error == {"code": "block.raised", "message": "no", "subject": "", "hint": ""}
    assert (by_node["never"].reason, by_node["never"].block_type) == ("missing_input: in comes from fail", "test.never")
    assert {made.id: (made.made_by, made.content_hash) for made in history.objects} == {
        "o1": ("x-load", ""),
        "o2": ("x-load", ""),
        "o3": ("x-split", "h3"),
    }


@pytest.mark.parametrize("seed", range(8))
async def test_any_order_and_any_repetition_leave_the_same_record(seed: int, tmp_path: Path) -> None:
    shuffled = whole_run()
    random.Random(seed).shuffle(shuffled)
    records = []
    for name, events in (("ordered", whole_run()), ("shuffled", shuffled + shuffled[:5])):
        folder = tmp_path / name
        folder.mkdir()
        async with parts(make_settings(LineageSettings), **{PROJECT: folder}) as lineage:
            await lineage.record(*events)
            records.append(await lineage.queries.run(PROJECT, RUN))
    assert records[0] == records[1]


async def test_an_execution_is_there_before_its_run_is(lineage: Parts) -> None:
    await lineage.record(executed("load", {}, {"out": collection("o1")}))
    with pytest.raises(RunNotRecorded):
        await lineage.queries.run(PROJECT, RUN)
    await lineage.record(whole_run()[0])
    _, history = await lineage.queries.run(PROJECT, RUN)
    assert [execution.node_id for execution in history.executions] == ["load"]


async def test_a_large_collection_is_recorded_item_by_item(lineage: Parts) -> None:
    ids = [f"o{number:05d}" for number in range(2500)]
    await lineage.record(whole_run()[0], executed("load", {}, {"out": collection(*ids)}))
    _, history = await lineage.queries.run(PROJECT, RUN)
    assert [place.object_id for place in history.executions[0].outputs] == ids
    assert len(history.objects) == 2500


async def test_the_slots_of_a_composite_are_objects_too(lineage: Parts) -> None:
    cell = item("cell", type_name="Cell", mask=item("mask", type_name="Array"), inner=item("inner", deep=item("deep")))
    await lineage.record(executed("load", {}, {"out": cell}), executed("measure", {"in": item("deep")}, {"out": item("table")}, at=2))
    history = await lineage.queries.trace(PROJECT, "table", upwards=True)
    assert [made.id for made in history.objects] == ["table", "deep"]
    assert {execution.node_id for execution in history.executions} == {"load", "measure"}


def test_values_without_identity_are_no_objects() -> None:
    ports = {"a": 3, "b": None, "c": {"_value": "x"}, "d": {"_collection": True, "items": [{"_value": "x"}, 1]}, "e": {"metadata": []}}
    assert list(places(ports)) == []


async def test_events_of_a_project_that_is_gone_are_dropped_and_its_folder_is_not_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    async with parts(make_settings(LineageSettings), **{PROJECT: folder}) as lineage:
        await lineage.record(*whole_run()[:3])
        shutil.rmtree(folder)
        await lineage.record(*whole_run())
    assert not folder.exists()
    async with parts(make_settings(LineageSettings)) as lineage:
        await lineage.record(*whole_run())


async def test_a_project_that_cannot_be_written_is_put_off_and_not_held(tmp_path: Path) -> None:
    (tmp_path / ".scistudio").write_text("no folder")
    async with parts(make_settings(LineageSettings), **{PROJECT: tmp_path}) as lineage:
        with pytest.raises(ProjectUnwritable):
            await lineage.record(*whole_run())
        (tmp_path / ".scistudio").unlink()
        await lineage.record(*whole_run())
        assert (await lineage.queries.run(PROJECT, RUN))[0].state == "failed"

"""What is stored comes back as it was."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_platform.db import Database
from scistudio_platform.errors import SciStudioError
from scistudio_platform.ids import ProjectId, RunId, new_id
from scistudio_platform.testing.migrations import assert_migrations_match
from scistudio_scheduler.adapters.execution import output_dir, segment
from scistudio_scheduler.adapters.rows import PLAN
from scistudio_scheduler.adapters.store import RunStore
from scistudio_scheduler.adapters.tables import TableBase
from scistudio_scheduler.domain.plan import Plan
from scistudio_scheduler.domain.records import Ending, Fault
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import BlockState
from scistudio_scheduler.service import MIGRATIONS

from .strategies import NOW, execution, plan_of, plans

PLACES = pytest.mark.parametrize("place", ["sqlite", "postgres"])


async def open_store(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Database, RunStore]:
    where = tmp_path / "scheduler.db" if place == "sqlite" else request.getfixturevalue("postgres")
    database = Database(where, schema="scheduler", migrations=MIGRATIONS)
    await database.start()
    return database, RunStore(database)


def test_the_migrations_make_the_tables_of_the_models() -> None:
    assert_migrations_match(TableBase.metadata, MIGRATIONS)


@given(plans())
def test_a_plan_survives_json(plan: Plan) -> None:
    assert PLAN.validate_json(PLAN.dump_json(plan)) == plan


def lived_run() -> Run:
    """A run in which everything that can be stored has happened."""
    run = Run.new(RunId(new_id()), plan_of([("a", "b", True), ("b", "c", True)], ["a", "b", "c", "d"]), NOW)
    run.begin(NOW)
    for node in run.ready():
        run.dispatched(node, execution(node), 2**32 - 1, NOW)
    outputs = {"out": '{"long": 12345678901234567890123, "text": "µ ∂ \\u0000"}'}
    done = Ending(BlockState.DONE, outputs, warnings=("careful",), started_at=NOW, ended_at=NOW + timedelta(microseconds=1))
    run.finish(run.plan.nodes[0].id, execution("a"), done, NOW)
    fault = Fault("block.raised", "no", "node/d", "try again")
    run.finish(run.plan.nodes[3].id, execution("d"), Ending(BlockState.ERROR, error=fault, traceback="Traceback…"), NOW)
    run.dispatched(run.plan.nodes[1].id, execution("b"), 1, NOW)
    run.cancel("enough", NOW)
    return run


@PLACES
async def test_a_run_comes_back_as_it_was_stored(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    database, store = await open_store(place, request, tmp_path)
    run = lived_run()
    fresh = Run.new(run.id, run.plan, NOW)
    assert await store.insert(fresh, [])
    await store.save(fresh, run, [])
    assert await store.unsettled(run.plan.project_id) == [run]
    run.fail(Fault("runner.unavailable", "gone"), NOW)
    await store.save(fresh, run, [])
    assert await store.unsettled(run.plan.project_id) == [run]
    await store.settle(run)
    assert await store.unsettled(run.plan.project_id) == []
    await database.stop()


@PLACES
async def test_a_second_run_of_the_same_id_is_not_stored(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    database, store = await open_store(place, request, tmp_path)
    run = lived_run()
    assert [await store.insert(run, []) for _ in range(2)] == [True, False]
    assert await store.owner(run.id) == run.plan.project_id
    with pytest.raises(SciStudioError, match="no run"):
        await store.get(ProjectId("another"), run.id)
    await database.stop()


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_names_get_different_folders_inside_the_project(one: str, two: str) -> None:
    assert (segment(one) == segment(two)) == (one == two)
    folder = output_dir(plan_of([], [one]), plan_of([], [one]).nodes[0].id)
    assert folder.parts[:-1] == ("/", "projects", "p1", "data", "zarr", "main")
    assert len(folder.name.encode()) <= 100


@pytest.mark.parametrize("name", ["main", "load_image-2", "@x", "a b", "v1.2"])
def test_ordinary_names_are_their_own_folders(name: str) -> None:
    assert segment(name) == name

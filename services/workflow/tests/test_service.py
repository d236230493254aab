from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.follow import Delivered
from scistudio_platform.nats import NatsServer
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_platform.testing import TOKEN, eventually, make_settings
from scistudio_platform.testing.migrations import assert_migrations_match
from scistudio_proto.runner.v1.runner_pb2_grpc import add_RunnerServiceServicer_to_server
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_workflow.adapters.known_projects import TableBase
from scistudio_workflow.service import build
from scistudio_workflow.settings import WorkflowSettings

from .conftest import ScriptedRunner, connected


def test_the_migrations_make_what_the_models_say() -> None:
    assert_migrations_match(TableBase.metadata, "scistudio_workflow.migrations")


@pytest.fixture
def eventful(nats: NatsServer) -> WorkflowSettings:
    return make_settings(WorkflowSettings, nats_url=nats.url, nats_token=nats.token)


@pytest.fixture
async def bus(eventful: WorkflowSettings) -> AsyncIterator[EventBus]:
    bus = EventBus(eventful)
    async with Service("test", [bus]):
        yield bus


async def heard(bus: EventBus, n_events: int) -> list[tuple[str, str]]:
    """Type and project of the first events of the stream."""
    found: list[tuple[str, str]] = []
    cursor = await bus.position()
    async for item in bus.follow(families=["project"], after=f"{cursor.epoch}:0"):
        if isinstance(item, Delivered):
            found.append((item.event.type, item.event.scope.project))
        if len(found) == n_events:
            break
    return found


async def test_opening_and_closing_a_project_is_told_to_who_listens(eventful: WorkflowSettings, bus: EventBus, project_dir: Path) -> None:
    async with build(eventful), connected(eventful) as workflow:
        project = (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project
        await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))
        await workflow.CloseProject(pb.CloseProjectRequest(project_id=project.id))
        await workflow.CloseProject(pb.CloseProjectRequest(project_id=project.id))
        async with asyncio.timeout(10):
            assert await heard(bus, 2) == [("project.opened", project.id), ("project.closed", project.id)]


async def test_the_list_of_projects_lives_in_postgresql_too(postgres: str, project_dir: Path) -> None:
    settings = make_settings(WorkflowSettings, database_url=postgres)
    async with build(settings), connected(settings) as workflow:
        project = (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project
        assert (await workflow.GetProject(pb.GetProjectRequest(project_id=project.id))).project == project
        await workflow.ForgetProject(pb.ForgetProjectRequest(project_id=project.id))
        assert not (await workflow.ListProjects(pb.ListProjectsRequest())).projects


@pytest.fixture
def process(settings: WorkflowSettings) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The service as processes of its own; a test may kill one and start the next."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for each in started:
        each.kill()
        each.wait()


def environment_of(settings: WorkflowSettings) -> dict[str, str]:
    names = {"RUN_DIR": settings.run_dir, "STATE_DIR": settings.state_dir, "TOKEN": TOKEN.get_secret_value(), "NATS_URL": settings.nats_url}
    names["WORKFLOW_LIBRARY_DIR"] = settings.library_dir
    return {**os.environ, **{f"SCISTUDIO_{name}": str(value) for name, value in names.items()}}


def start(settings: WorkflowSettings, processes: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scistudio_workflow"]
    processes.append(subprocess.Popen(command, env=environment_of(settings), stderr=subprocess.DEVNULL))
    return processes[-1]


async def test_a_killed_service_comes_back_with_its_projects_open(
    settings: WorkflowSettings, process: list[subprocess.Popen[bytes]], project_dir: Path
) -> None:
    first = await asyncio.to_thread(start, settings, process)
    async with connected(settings) as workflow:
        project = (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)), timeout=30)).project
        first.send_signal(signal.SIGKILL)
        await asyncio.to_thread(first.wait)
        second = await asyncio.to_thread(start, settings, process)
        answer = await workflow.ListProjects(pb.ListProjectsRequest(only_open=True), timeout=30)
        assert [each.id for each in answer.projects] == [project.id]
        second.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(second.wait, 20) == 0


async def test_the_service_imports_neither_blocks_nor_what_it_does_not_use(
    settings: WorkflowSettings, runner: ScriptedRunner, project_dir: Path
) -> None:
    async with build(settings):  # makes the database, for which it needs Alembic
        pass
    code = (
        "import asyncio, sys\n"
        "from scistudio_workflow.service import build\n"
        "from scistudio_workflow.settings import WorkflowSettings\n"
        "async def main():\n"
        "    async with build(WorkflowSettings(http=None)): pass\n"
        "asyncio.run(main())\n"
        "print(sorted({'numpy', 'pyarrow', 'scistudio', 'alembic', 'fastapi', 'uvicorn', 'kubernetes'} & sys.modules.keys()))\n"
    )
    environment = environment_of(settings)
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


async def test_a_runner_that_comes_up_later_is_waited_for(settings: WorkflowSettings, project_dir: Path) -> None:
    async with build(settings), connected(settings) as workflow:
        project = (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project
        asked = asyncio.ensure_future(workflow.GetCatalog(pb.GetCatalogRequest(project_id=project.id)))
        scripted = ScriptedRunner()  # type: ignore[abstract]  # only probes are asked
        async with Service("runner", [GrpcServer(settings, {add_RunnerServiceServicer_to_server: scripted}, name="runner")]):
            await eventually(asked.done)
            assert asked.result().blocks

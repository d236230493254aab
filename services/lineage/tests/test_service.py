"""The built service on real nats-server and gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scistudio_lineage.service import build
from scistudio_lineage.settings import LineageSettings
from scistudio_platform.errors import RemoteError
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.model import Event, encode, subject_of
from scistudio_platform.nats import NatsServer
from scistudio_platform.rpc import RpcClient
from scistudio_platform.testing import eventually, make_settings
from scistudio_proto.lineage.v1 import lineage_pb2 as pb
from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceStub

from .history import PROJECT, RUN, ScriptedWorkflow, whole_run, workflow_service


@pytest.fixture
def settings(nats: NatsServer) -> LineageSettings:
    return make_settings(LineageSettings, nats_url=nats.url, nats_token=nats.token)


@asynccontextmanager
async def client_of(settings: LineageSettings) -> AsyncIterator[Any]:
    """The service, and a stub to ask it with."""
    async with build(settings):
        client = RpcClient(settings, "lineage", LineageServiceStub)
        await client.start()
        yield client.stub
        await client.stop()


async def publish(settings: LineageSettings, *events: Event) -> None:
    bus = EventBus(settings)
    await bus.start()
    connection = await bus.connection()
    for event in events:
        await connection.js.publish(subject_of(event), encode(event), headers={"Nats-Msg-Id": event.id})
    await bus.stop()


async def recorded(stub: Any, state: str) -> pb.GetRunResponse:
    """Wait until the run is recorded in ``state``."""

    async def answer() -> pb.GetRunResponse | None:
        try:
            found: pb.GetRunResponse = await stub.GetRun(pb.GetRunRequest(project_id=PROJECT, run_id=RUN))
        except RemoteError:
            return None
        return found if found.run.status == state else None

    found = await eventually(answer)
    assert found is not None
    return found


async def test_published_events_are_recorded_and_answered(settings: LineageSettings, tmp_path: Path) -> None:
    async with workflow_service(settings, ScriptedWorkflow(**{PROJECT: tmp_path})), client_of(settings) as stub:
        await publish(settings, *whole_run())
        found = await recorded(stub, "failed")
        assert [execution.node_id for execution in found.executions] == ["load", "split", "fail", "never"]
        assert found.executions[1].config_json == '{"sigma": 2}'
        listed = await stub.ListRuns(pb.ListRunsRequest(project_id=PROJECT))
        assert [(run.run_id, run.workflow_text) for run in listed.runs] == [(RUN, "")]
        request = pb.TraceObjectRequest(project_id=PROJECT, object_id="o3", direction=pb.DIRECTION_UP)
        assert [made.object_id for made in (await stub.TraceObject(request)).objects] == ["o3", "o1", "o2"]
        with pytest.raises(RemoteError, match="direction"):
            await stub.TraceObject(pb.TraceObjectRequest(project_id=PROJECT, object_id="o3"))


async def test_what_happened_while_lineage_was_away_is_recorded_later(settings: LineageSettings, tmp_path: Path) -> None:
    events = whole_run()
    async with workflow_service(settings, ScriptedWorkflow(**{PROJECT: tmp_path})):
        async with client_of(settings) as stub:
            await publish(settings, *events[:3])
            await recorded(stub, "running")
        await publish(settings, *events[3:])
        async with client_of(settings) as stub:
            assert len((await recorded(stub, "failed")).executions) == 4


async def test_events_wait_for_the_workflow_service(settings: LineageSettings, tmp_path: Path) -> None:
    async with client_of(settings) as stub:
        await publish(settings, *whole_run())
        async with workflow_service(settings, ScriptedWorkflow(**{PROJECT: tmp_path})):
            await recorded(stub, "failed")


async def test_a_project_that_nobody_knows_keeps_no_other_waiting(settings: LineageSettings, tmp_path: Path) -> None:
    workflow = ScriptedWorkflow()
    async with workflow_service(settings, workflow), client_of(settings) as stub:
        unknown = whole_run()
        await publish(settings, *unknown)
        workflow.folders[PROJECT] = tmp_path
        await publish(settings, *whole_run())
        await recorded(stub, "failed")

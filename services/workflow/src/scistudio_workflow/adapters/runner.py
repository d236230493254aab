"""Probes: the runner lets a worker read the blocks and types, since their code is never imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistudio_platform.rpc import RpcClient
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceStub

from scistudio_workflow.settings import WorkflowSettings

if TYPE_CHECKING:  # only the generated stubs for type checkers have it
    from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceAsyncStub


class RunnerProbes:
    """A part: the connection to the runner."""

    def __init__(self, settings: WorkflowSettings) -> None:
        self._timeout_s = settings.probe_timeout_s
        self._client: RpcClient[RunnerServiceAsyncStub] = RpcClient(settings, "runner", RunnerServiceStub)

    async def start(self) -> None:
        """Make the connection; nothing is sent before it is used."""
        await self._client.start()

    async def stop(self) -> None:
        """Close the connection."""
        await self._client.stop()

    async def probe(self, project_dir: str) -> str:
        """Return a worker's description of the blocks and types of a project, JSON text."""
        answer = await self._client.stub.Probe(pb.ProbeRequest(project_dir=project_dir), timeout=self._timeout_s)
        return answer.catalog_json

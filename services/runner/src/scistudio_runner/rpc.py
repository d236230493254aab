"""The gRPC side of the runner: proto in, one call, proto out."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator
from typing import Any

from scistudio_platform.clock import to_timestamp
from scistudio_platform.logging import get_logger
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceServicer, WorkerHostServiceServicer

from scistudio_runner.adapters.enrolment import Admission
from scistudio_runner.app.executions import Executions
from scistudio_runner.app.logs import LogBook
from scistudio_runner.app.probes import Probes
from scistudio_runner.domain.hosts import Host
from scistudio_runner.errors import NotOurTurn, Stopping
from scistudio_runner.settings import RunnerSettings

CONNECT = "/scistudio.runner.v1.WorkerHostService/Connect"
Context = Any  # grpc.aio.ServicerContext
Outgoing = asyncio.Queue[pb.ConnectResponse | None]  # None: hang up
logger = get_logger("runner")


class RunnerRpc(RunnerServiceServicer):
    """What other services call."""

    def __init__(self, executions: Executions, logs: LogBook, probes: Probes) -> None:
        self._executions, self._logs, self._probes = executions, logs, probes

    async def start(self) -> None:
        """Nothing: others call."""

    async def stop(self) -> None:
        """End open streams, so that the server does not wait for them."""
        self._executions.send_away()
        self._logs.send_away()

    async def Execute(self, request: pb.ExecuteRequest, context: Context) -> AsyncIterator[pb.ExecuteResponse]:
        async for update in self._executions.follow(request.execution):
            yield update

    async def CancelExecution(self, request: pb.CancelExecutionRequest, context: Context) -> pb.CancelExecutionResponse:
        return pb.CancelExecutionResponse(found=await self._executions.cancel(request.execution_id, request.reason))

    async def AcknowledgeExecution(self, request: pb.AcknowledgeExecutionRequest, context: Context) -> pb.AcknowledgeExecutionResponse:
        self._executions.acknowledge(request.execution_id)
        return pb.AcknowledgeExecutionResponse()

    async def Probe(self, request: pb.ProbeRequest, context: Context) -> pb.ProbeResponse:
        return pb.ProbeResponse(catalog_json=await self._probes.probe(request.project_dir))

    async def ReadLogs(self, request: pb.ReadLogsRequest, context: Context) -> pb.ReadLogsResponse:
        return await self._logs.read(request)

    async def FollowLogs(self, request: pb.FollowLogsRequest, context: Context) -> AsyncIterator[pb.FollowLogsResponse]:
        async for line in self._logs.follow(request):
            yield pb.FollowLogsResponse(line=line)

    async def ListHosts(self, request: pb.ListHostsRequest, context: Context) -> pb.ListHostsResponse:
        return pb.ListHostsResponse(hosts=[_to_proto(host) for host in self._executions.hosts.values() if host.send is not None])


def _to_proto(host: Host) -> pb.Host:
    busy = len(host.executions)
    return pb.Host(id=host.id, slots=host.slots, busy=busy, labels=host.labels, connected_at=to_timestamp(host.connected_at))


class WorkerHostRpc(WorkerHostServiceServicer):
    """What worker hosts call. This one method admits its callers itself: hosts elsewhere do not have the services' token."""

    def __init__(self, settings: RunnerSettings, executions: Executions, probes: Probes) -> None:
        self._settings, self._executions, self._probes = settings, executions, probes
        self._admission = Admission(settings.token)
        self._lines: set[Outgoing] = set()
        self._is_stopping = False

    async def start(self) -> None:
        """Nothing: hosts call."""

    async def stop(self) -> None:
        """Hang up, so that the server does not wait for hosts, and they connect again to the next runner at once."""
        self._is_stopping = True
        for outgoing in self._lines:
            outgoing.put_nowait(None)

    async def Connect(self, request_iterator: AsyncIterator[pb.ConnectRequest], context: Context) -> AsyncIterator[pb.ConnectResponse]:
        if self._is_stopping:
            raise Stopping()
        first = await anext(request_iterator, None)
        if first is None or not first.HasField("hello"):
            raise NotOurTurn("A worker host's first message must be hello.")
        credential = self._admit(first.hello, context)
        outgoing: Outgoing = asyncio.Queue()
        yield pb.ConnectResponse(welcome=pb.Welcome(credential=credential, heartbeat_s=self._settings.heartbeat_s))
        send = outgoing.put_nowait
        host = self._executions.host_came(first.hello, send)
        self._probes.host_came(host)
        listening = asyncio.get_running_loop().create_task(self._listen(host, request_iterator, outgoing))
        logger.info("worker host connected", host=host.id, slots=host.slots, running=len(first.hello.running))
        self._lines.add(outgoing)
        try:
            while (message := await outgoing.get()) is not None:
                yield message
        finally:
            self._lines.discard(outgoing)
            listening.cancel()
            self._executions.host_went(host, send)
            logger.info("worker host disconnected", host=host.id)

    def _admit(self, hello: pb.Hello, context: Context) -> str:
        given = str(dict(context.invocation_metadata() or ()).get("authorization", ""))
        expected = f"Bearer {self._settings.token.get_secret_value()}"
        if hmac.compare_digest(given.encode(), expected.encode()):
            return ""  # a host that has the services' token shows it again
        return self._admission.admit(hello.host_id, enrolment_token=hello.enrolment_token, credential=hello.credential)

    async def _listen(self, host: Host, messages: AsyncIterator[pb.ConnectRequest], outgoing: Outgoing) -> None:
        """Hear a host until it hangs up or falls silent."""
        try:
            while (message := await asyncio.wait_for(anext(messages, None), self._settings.host_timeout_s)) is not None:
                if message.HasField("heartbeat"):
                    outgoing.put_nowait(pb.ConnectResponse(welcome=pb.Welcome(heartbeat_s=self._settings.heartbeat_s)))
                else:
                    self._hear(host, message)
        except TimeoutError:
            logger.warning("worker host is silent", host=host.id)
        finally:
            outgoing.put_nowait(None)

    def _hear(self, host: Host, message: pb.ConnectRequest) -> None:
        match message.WhichOneof("message"):
            case "started":
                self._executions.started(host, message.started.execution_id, message.started.started)
            case "progress":
                self._executions.progress(message.progress.execution_id, message.progress.progress)
            case "output":
                self._executions.printed(message.output)
            case "result":
                self._executions.ended(host, message.result)
            case "probe_result":
                self._probes.answered(message.probe_result)

"""A real server and a real client over a Unix socket, with the lineage contract as the example."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from httpx2 import AsyncClient, AsyncHTTPTransport
from scistudio_platform.errors import Kind, RemoteError, SciStudioError
from scistudio_platform.rpc import GrpcServer, RpcClient
from scistudio_platform.rpc.server import AddressInUse
from scistudio_platform.service import Service
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.testing import TOKEN, make_settings
from scistudio_proto.lineage.v1 import lineage_pb2 as pb
from scistudio_proto.lineage.v1 import lineage_pb2_grpc as rpc
from scistudio_proto.runner.v1 import runner_pb2 as runner_pb
from scistudio_proto.runner.v1 import runner_pb2_grpc as runner_rpc


class RunNotFound(SciStudioError):
    kind, code = Kind.NOT_FOUND, "run.not_found"


class Lineage(rpc.LineageServiceServicer):
    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:
        if request.run_id == "bug":
            raise ZeroDivisionError("a secret of the inside")
        if request.run_id == "slow":
            await asyncio.sleep(30)
        raise RunNotFound(f"There is no run {request.run_id}.", subject=f"run/{request.run_id}", hint="é" * 10_000)

    async def ListRuns(self, request: pb.ListRunsRequest, context: Any) -> pb.ListRunsResponse:
        return pb.ListRunsResponse(next_page_token=request.page_token)


class Runner(runner_rpc.RunnerServiceServicer):
    async def FollowLogs(self, request: runner_pb.FollowLogsRequest, context: Any) -> AsyncIterator[runner_pb.FollowLogsResponse]:
        for line in (1, 2):
            yield runner_pb.FollowLogsResponse(line=runner_pb.LogLine(line=line))
        raise RunNotFound("It is gone.")


@pytest.fixture
def settings() -> ServiceSettings:
    return make_settings(ServiceSettings, http="")


@pytest.fixture
async def server(settings: ServiceSettings) -> AsyncIterator[GrpcServer]:
    servicers = {rpc.add_LineageServiceServicer_to_server: Lineage(), runner_rpc.add_RunnerServiceServicer_to_server: Runner()}
    server = GrpcServer(settings, servicers, name="lineage")
    async with Service("lineage", [server]):
        yield server


@pytest.fixture
async def client(settings: ServiceSettings, server: GrpcServer) -> AsyncIterator[rpc.LineageServiceAsyncStub]:
    client = RpcClient(settings, "lineage", rpc.LineageServiceStub)
    async with Service("client", [client]):
        yield client.stub


async def failure(client: Any, run: str, timeout: float | None = None) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await client.GetRun(pb.GetRunRequest(run_id=run), timeout=timeout)
    return caught.value


async def test_an_error_reaches_the_caller_with_kind_code_subject_and_hint(client: Any) -> None:
    error = await failure(client, "r7")
    assert (error.kind, error.code, error.subject) == (Kind.NOT_FOUND, "run.not_found", "run/r7")
    assert error.message == "There is no run r7."
    assert error.hint.startswith("éé")


async def test_a_bug_reaches_the_caller_as_internal_without_its_text(client: Any) -> None:
    error = await failure(client, "bug")
    assert (error.kind, error.code) == (Kind.INTERNAL, "internal")
    assert "secret" not in error.text


async def test_a_call_has_a_deadline_and_says_which_service_was_late(client: Any) -> None:
    error = await failure(client, "slow", timeout=0.2)
    assert (error.kind, error.code) == (Kind.TIMEOUT, "service.timeout")
    assert "lineage" in error.message


async def test_a_stream_ends_with_the_servers_error_after_what_it_had_sent(settings: ServiceSettings, server: GrpcServer) -> None:
    client = RpcClient(settings.model_copy(update={"targets": {"runner": server.address}}), "runner", runner_rpc.RunnerServiceStub)
    async with Service("client", [client]):
        seen = []
        with pytest.raises(RemoteError, match="It is gone"):
            async for answer in client.stub.FollowLogs(runner_pb.FollowLogsRequest(), timeout=5):
                seen.append(answer.line.line)
    assert seen == [1, 2]


async def test_a_caller_without_the_token_is_refused_and_health_is_open(server: GrpcServer) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await rpc.LineageServiceStub(channel).ListRuns(pb.ListRunsRequest(), timeout=5)
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=5)
    assert health.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_second_server_on_a_live_socket_is_refused_and_the_first_goes_on(settings: ServiceSettings, client: Any) -> None:
    with pytest.raises(AddressInUse):
        await GrpcServer(settings, {}, name="lineage").start()
    answer = await client.ListRuns(pb.ListRunsRequest(page_token="7"))
    assert answer.next_page_token == "7"


async def test_a_client_goes_on_when_its_server_comes_back(settings: ServiceSettings) -> None:
    client = RpcClient(settings, "lineage", rpc.LineageServiceStub)
    async with Service("client", [client]):
        for token in ("1", "2"):
            async with Service("lineage", [GrpcServer(settings, {rpc.add_LineageServiceServicer_to_server: Lineage()}, name="lineage")]):
                assert (await client.stub.ListRuns(pb.ListRunsRequest(page_token=token))).next_page_token == token


async def test_metrics_need_the_token_and_count_calls(settings: ServiceSettings, client: Any) -> None:
    await client.ListRuns(pb.ListRunsRequest())
    transport = AsyncHTTPTransport(uds=str(settings.run_dir / "lineage.http.sock"))
    async with AsyncClient(transport=transport, base_url="http://service") as http:
        assert (await http.get("/healthz")).status_code == 200
        assert (await http.get("/metrics")).status_code == 401
        metrics = await http.get("/metrics", headers={"authorization": f"Bearer {TOKEN.get_secret_value()}"})
    assert 'scistudio_rpc_calls_total{code="ok",method="ListRuns"} 1.0' in metrics.text


PROCESS = """
import sys
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service, run_service
from scistudio_platform.settings import ServiceSettings
sys.exit(run_service("lineage", lambda settings: Service("lineage", [GrpcServer(settings, {}, name="lineage")]), ServiceSettings()))
"""


async def test_a_service_process_serves_until_sigterm_and_exits_0(settings: ServiceSettings) -> None:
    env = {**os.environ, "SCISTUDIO_RUN_DIR": str(settings.run_dir), "SCISTUDIO_STATE_DIR": str(settings.state_dir)}
    env |= {"SCISTUDIO_TOKEN": TOKEN.get_secret_value(), "SCISTUDIO_NATS_URL": "nats://127.0.0.1:1"}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PROCESS, env=env, stderr=asyncio.subprocess.PIPE)
    try:
        async with grpc.aio.insecure_channel(settings.target("lineage")) as channel:
            request = health_pb2.HealthCheckRequest()
            await health_pb2_grpc.HealthStub(channel).Check(request, timeout=20, wait_for_ready=True)
        process.send_signal(signal.SIGTERM)
        _, log = await asyncio.wait_for(process.communicate(), 20)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0
    assert TOKEN.get_secret_value() not in log.decode()
    assert not Path(settings.run_dir / "lineage.sock").exists()

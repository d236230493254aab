from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.ids import new_id
from scistudio_platform.rpc import RpcClient
from scistudio_platform.testing import TOKEN, make_settings
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.runner.v1 import runner_pb2_grpc as rpc
from scistudio_runner.service import build
from scistudio_runner.settings import RunnerSettings
from scistudio_worker.service import build as build_worker
from scistudio_worker.settings import WorkerSettings

BLOCKS = Path(__file__).with_name("blocks.py")


class Client:
    """The runner as another service sees it."""

    def __init__(self, stub: Any, project: Path) -> None:
        self.stub, self.project = stub, project

    def execution(self, block: str, config: dict[str, Any] | None = None, **fields: Any) -> pb.Execution:
        given = {"execution_id": new_id(), "run_id": "r1", "node_id": "n1", "project_id": "p1", "config_json": json.dumps(config or {})}
        reference = pb.BlockReference(class_name=block, file_path=str(BLOCKS))
        folders = {"project_dir": str(self.project), "output_dir": str(self.project / "data")}
        return pb.Execution(block=reference, **{**folders, **given, **fields})

    def follow(self, spec: pb.Execution) -> AsyncIterator[pb.ExecuteResponse]:
        return self.stub.Execute(pb.ExecuteRequest(execution=spec), timeout=30)  # type: ignore[no-any-return]

    async def result(self, spec: pb.Execution) -> pb.Result:
        async for news in self.follow(spec):
            if news.HasField("result"):
                return news.result
        raise AssertionError("the stream ended without a result")

    async def run(self, block: str, config: dict[str, Any] | None = None, **fields: Any) -> pb.Result:
        return await self.result(self.execution(block, config, **fields))

    async def cancel(self, execution_id: str) -> bool:
        answer = await self.stub.CancelExecution(pb.CancelExecutionRequest(execution_id=execution_id, reason="test"))
        return bool(answer.found)

    async def acknowledge(self, execution_id: str) -> None:
        await self.stub.AcknowledgeExecution(pb.AcknowledgeExecutionRequest(execution_id=execution_id))

    def waiting(self, **more: Any) -> dict[str, Any]:
        """The config of a block that waits for ``go``."""
        return {"began": str(self.project / "began"), "go": str(self.project / "go"), **more}

    def go(self) -> None:
        (self.project / "go").touch()

    @property
    def n_began(self) -> int:
        began = self.project / "began"
        return len(began.read_text().split()) if began.exists() else 0

    async def logs(self, **fields: Any) -> pb.ReadLogsResponse:
        wanted = {"project_id": "p1", "project_dir": str(self.project), "run_id": "r1", "node_id": "n1", **fields}
        answer: pb.ReadLogsResponse = await self.stub.ReadLogs(pb.ReadLogsRequest(**wanted))
        return answer

    def follow_logs(self, **fields: Any) -> AsyncIterator[pb.FollowLogsResponse]:
        wanted = {"project_id": "p1", "project_dir": str(self.project), "run_id": "r1", **fields}
        return self.stub.FollowLogs(pb.FollowLogsRequest(**wanted), timeout=30)  # type: ignore[no-any-return]

    async def hosts(self) -> list[pb.Host]:
        return list((await self.stub.ListHosts(pb.ListHostsRequest())).hosts)


@pytest.fixture
def settings() -> RunnerSettings:
    return make_settings(RunnerSettings, host_timeout_s=1.5, heartbeat_s=0.3, adoption_s=15.0)


@pytest.fixture
def worker_settings(settings: RunnerSettings) -> WorkerSettings:
    return WorkerSettings(run_dir=settings.run_dir, token=TOKEN, slots=2)


@pytest.fixture
async def client(settings: RunnerSettings, tmp_path: Path) -> AsyncIterator[Client]:
    """A client; the runner may be there or not."""
    calls: RpcClient[Any] = RpcClient(settings, "runner", rpc.RunnerServiceStub)
    await calls.start()
    yield Client(calls.stub, tmp_path)
    await calls.stop()


@pytest.fixture
async def runner(settings: RunnerSettings) -> AsyncIterator[None]:
    """The runner, without a worker host."""
    async with build(settings):
        yield


@pytest.fixture
async def composition(runner: None, worker_settings: WorkerSettings) -> AsyncIterator[None]:
    """The runner and a worker host in this process."""
    async with build_worker(worker_settings):
        yield


class Processes:
    """Services as processes of their own, to be killed."""

    def __init__(self, settings: RunnerSettings) -> None:
        self._environment = {
            **os.environ,
            "SCISTUDIO_RUN_DIR": str(settings.run_dir),
            "SCISTUDIO_STATE_DIR": str(settings.state_dir),
            "SCISTUDIO_TOKEN": settings.token.get_secret_value(),
            "SCISTUDIO_NATS_URL": settings.nats_url,
            "SCISTUDIO_RUNNER_HOST_TIMEOUT_S": str(settings.host_timeout_s),
            "SCISTUDIO_RUNNER_HEARTBEAT_S": str(settings.heartbeat_s),
            "SCISTUDIO_RUNNER_ADOPTION_S": str(settings.adoption_s),
        }
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, **environment: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", module], env={**self._environment, **environment})
        self._started.append(process)
        return process

    def stop(self) -> None:
        for process in self._started:
            process.terminate()
        for process in self._started:
            process.wait(15)


@pytest.fixture
def processes(settings: RunnerSettings) -> Iterator[Processes]:
    made = Processes(settings)
    yield made
    made.stop()

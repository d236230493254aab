"""The built workflow service behind a real Unix socket, with real SQL; the runner is scripted at the process boundary."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from scistudio_platform.errors import SciStudioError
from scistudio_platform.rpc import GrpcServer, RpcClient
from scistudio_platform.service import Service
from scistudio_platform.testing import make_settings
from scistudio_proto.runner.v1 import runner_pb2
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceServicer, add_RunnerServiceServicer_to_server
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub
from scistudio_workflow.service import build
from scistudio_workflow.settings import WorkflowSettings

from .samples import CATALOG

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub


# A busy machine is slow, and that is no fault of the code.
hypothesis.settings.register_profile("scistudio", deadline=None)
hypothesis.settings.load_profile("scistudio")


class ScriptedRunner(RunnerServiceServicer):
    """Answers probes with a recorded catalog."""

    def __init__(self) -> None:
        self.catalog: dict[str, Any] = CATALOG
        self.fault: SciStudioError | None = None
        self.probed: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def Probe(self, request: runner_pb2.ProbeRequest, context: Any) -> runner_pb2.ProbeResponse:
        self.probed.append(request.project_dir)
        await self.may_answer.wait()
        if self.fault is not None:
            raise self.fault
        return runner_pb2.ProbeResponse(catalog_json=json.dumps(self.catalog))


@pytest.fixture
def settings() -> Iterator[WorkflowSettings]:
    made = make_settings(WorkflowSettings, url="http://127.0.0.1:7100/")
    library = made.run_dir / "library"
    library.mkdir()
    yield made.model_copy(update={"library_dir": library})
    shutil.rmtree(made.run_dir, ignore_errors=True)


@pytest.fixture
async def runner(settings: WorkflowSettings) -> AsyncIterator[ScriptedRunner]:
    scripted = ScriptedRunner()  # type: ignore[abstract]  # what it leaves out answers UNIMPLEMENTED
    server = GrpcServer(settings, {add_RunnerServiceServicer_to_server: scripted}, name="runner")
    async with Service("runner", [server]):
        yield scripted


@pytest.fixture
async def service(settings: WorkflowSettings, runner: ScriptedRunner) -> AsyncIterator[Service]:
    async with build(settings) as built:
        yield built


@asynccontextmanager
async def connected(settings: WorkflowSettings) -> AsyncIterator[WorkflowServiceAsyncStub]:
    """A client of the service."""
    client: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub)
    async with Service("test", [client]):
        yield client.stub


@pytest.fixture
async def workflow(settings: WorkflowSettings, service: Service) -> AsyncIterator[WorkflowServiceAsyncStub]:
    """A client of the running service."""
    async with connected(settings) as stub:
        yield stub


@pytest.fixture
def project_dir(tmp_path: Path) -> Path:
    """A project folder as a person may have it, with its name in two scripts and an apostrophe."""
    folder = tmp_path / "user's data & notes" / "проект 1"
    for part in ("workflows", "subworkflows", "blocks", "data/raw"):
        (folder / part).mkdir(parents=True)
    (folder / "project.yaml").write_text("project:  # ours\n  id: project-0a1b2c3d\n  name: Проект\n")
    (folder / "workflows/main.yaml").write_text(MAIN)
    return folder


MAIN = """\
workflow:
  id: main
  nodes:
  - {id: load, block_type: load_data, config: {path: data/raw/a.csv}}
  - {id: save, block_type: save_data, config: {params: {path: data/out}}}
  edges:
  - {source: 'load:data', target: 'save:data'}
"""

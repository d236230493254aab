from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_worker import cgroups, environment
from scistudio_worker.cgroups import Hierarchies
from scistudio_worker.forker import Forker
from scistudio_worker.groups import Groups
from scistudio_worker.host import WorkerHost
from scistudio_worker.settings import WorkerSettings

BLOCKS = Path(__file__).with_name("misbehaving_blocks.py")


class Bench:
    """A worker host whose runner is this test."""

    def __init__(self, host: WorkerHost, forker: Forker, project: Path) -> None:
        self.host, self.forker, self.project = host, forker, project
        self.results: dict[str, pb.Result] = {}
        self.lines: list[pb.LogLine] = []
        self.progress: list[float] = []
        self.pids: dict[str, int] = {}
        self.catalogs: dict[str, pb.ProbeResult] = {}

    def renewed(self) -> Bench:
        """Forget what was heard."""
        for id in self.results:
            self.host.acknowledge(id)
        for heard in (self.results, self.lines, self.progress, self.pids, self.catalogs):
            heard.clear()  # type: ignore[attr-defined]
        return self

    def hear(self, message: pb.ConnectRequest) -> None:
        match message.WhichOneof("message"):
            case "started":
                self.pids[message.started.execution_id] = message.started.started.pid
            case "output":
                self.lines.extend(message.output.lines)
            case "progress":
                self.progress.append(message.progress.progress.fraction)
            case "result":
                self.results[message.result.execution_id] = message.result
            case "probe_result":
                self.catalogs[message.probe_result.probe_id] = message.probe_result

    def start(self, block: str, *, id: str = "x1", method: str = "", config: dict[str, Any] | None = None, **limits: float) -> str:
        spec = pb.Execution(
            execution_id=id,
            node_id="n1",
            run_id="r1",
            project_dir=str(self.project),
            output_dir=str(self.project / "data"),
            block=pb.BlockReference(class_name=block, file_path=str(BLOCKS)),
            config_json=json.dumps(config or {}),
            start_method=method,
            limits=pb.Limits(**limits),  # type: ignore[arg-type]
        )
        self.host.execute(spec)
        return id

    async def result(self, id: str = "x1") -> pb.Result:
        return await eventually(lambda: self.results.get(id), pause_s=0.002)

    async def run(self, block: str, **options: Any) -> pb.Result:
        return await self.result(self.start(block, **options))

    async def cancel_when(self, text: str, id: str = "x1") -> pb.Result:
        await eventually(lambda: any(text in line.text for line in self.lines))
        self.host.cancel(id, "test")
        return await self.result(id)

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]


MEANS = ["cgroup v2", "cgroup v1 freezer", "subreaper"]


def hierarchies_for(means: str) -> Hierarchies:
    found = cgroups.find()
    match means:
        case "cgroup v2":
            chosen = Hierarchies(unified=found.unified, memory=found.memory)
        case "cgroup v1 freezer":
            chosen = Hierarchies(freezer=found.freezer, memory=found.memory)
        case _:
            chosen = Hierarchies()
    if means != Groups(chosen).ended_by:
        pytest.skip(f"this machine gives us no {means}")
    return chosen


async def made_bench(hierarchies: Hierarchies, project: Path, **settings: Any) -> AsyncIterator[Bench]:
    forker = Forker(environment.for_blocks({**os.environ, "SCISTUDIO_TOKEN": "secret-token"}))
    host = WorkerHost(WorkerSettings(**settings), forker, Groups(hierarchies))
    bench = Bench(host, forker, project)
    await host.start()
    host.attach(bench.hear)
    try:
        yield bench
    finally:
        await asyncio.wait_for(host.stop(), 20)


# One host serves the tests of a module, as it serves blocks: each must leave it fit for the next.
shared = pytest_asyncio.fixture(scope="module", loop_scope="module")


@shared
async def module_bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    async for made in made_bench(cgroups.find(), tmp_path_factory.mktemp("project"), output_limit_bytes=1_000_000):
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=MEANS)
async def module_bench_by_each(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    async for made in made_bench(hierarchies_for(request.param), tmp_path_factory.mktemp("project")):
        yield made


@pytest.fixture
def bench(module_bench: Bench) -> Bench:
    """With the best means of this machine."""
    return module_bench.renewed()


@pytest.fixture
def bench_by_each(module_bench_by_each: Bench) -> Bench:
    """With each means in turn."""
    return module_bench_by_each.renewed()


@pytest_asyncio.fixture(loop_scope="module", params=MEANS)
async def own_bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """A host that the test may end."""
    async for made in made_bench(hierarchies_for(request.param), tmp_path):
        yield made

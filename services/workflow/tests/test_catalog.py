from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.testing import eventually
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_workflow.adapters.catalog_store import CACHE_FILE
from scistudio_workflow.service import build
from scistudio_workflow.settings import WorkflowSettings

from .conftest import ScriptedRunner, connected
from .samples import CATALOG

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub as Stub


@pytest.fixture
async def project(workflow: Stub, project_dir: Path) -> pb.Project:
    return (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project


async def catalog(workflow: Stub, project: pb.Project, *, rescan: bool = False) -> pb.GetCatalogResponse:
    return await workflow.GetCatalog(pb.GetCatalogRequest(project_id=project.id, rescan=rescan))


async def test_the_catalog_holds_what_a_worker_found(
    workflow: Stub, project: pb.Project, runner: ScriptedRunner, project_dir: Path
) -> None:
    runner.catalog = CATALOG | {"failures": [{"file_path": "blocks/x.py", "error_type": "SyntaxError", "message": "line 3"}]}
    found = await catalog(workflow, project)
    smooth = next(block for block in found.blocks if block.type_name == "smooth_block")
    assert (smooth.name, smooth.file_path, list(smooth.input_ports[0].accepted_types)) == ("Smooth", "/project/blocks/smooth.py", ["Image"])
    assert json.loads(smooth.config_schema_json)["properties"]["sigma"]["minimum"] == 0
    assert (smooth.terminate_grace_s, smooth.resources.cpu_cores) == (5.0, 1)
    assert [data_type.type_chain for data_type in found.types if data_type.name == "Image"] == [["DataObject", "Array", "Image"]]
    assert [(failure.file_path, failure.error_type) for failure in found.failures] == [("blocks/x.py", "SyntaxError")]
    assert runner.probed == [str(project_dir)]


async def test_callers_at_the_same_time_share_one_probe(workflow: Stub, project: pb.Project, runner: ScriptedRunner) -> None:
    runner.may_answer.clear()
    calls = [asyncio.create_task(catalog(workflow, project)) for _ in range(5)]
    await eventually(lambda: runner.probed)
    calls.pop().cancel()
    runner.may_answer.set()
    assert len({answer.etag for answer in await asyncio.gather(*calls)}) == 1
    assert len(runner.probed) == 1


async def test_a_changed_drop_in_file_is_seen_at_the_next_call(
    workflow: Stub, project: pb.Project, runner: ScriptedRunner, project_dir: Path, settings: WorkflowSettings
) -> None:
    await catalog(workflow, project)
    (project_dir / "types").mkdir()
    (settings.library_dir / "blocks").mkdir()
    for n_probes, file in enumerate(
        (project_dir / "blocks/a.py", project_dir / "types/t.py", settings.library_dir / "blocks/b.py"), start=2
    ):
        file.write_text("# new")
        await catalog(workflow, project)
        assert len(runner.probed) == n_probes
        await catalog(workflow, project)
        assert len(runner.probed) == n_probes
    os.utime(project_dir / "blocks/a.py", (1, 1))
    await catalog(workflow, project)
    assert len(runner.probed) == 5


async def test_a_rescan_probes_in_any_case(workflow: Stub, project: pb.Project, runner: ScriptedRunner) -> None:
    before = await catalog(workflow, project)
    runner.catalog = CATALOG | {"blocks": CATALOG["blocks"][:2]}
    after = await catalog(workflow, project, rescan=True)
    assert len(after.blocks) == 2
    assert after.etag != before.etag
    assert await catalog(workflow, project) == after


async def test_a_second_start_needs_no_probe(settings: WorkflowSettings, runner: ScriptedRunner, project_dir: Path) -> None:
    found = []
    for _ in range(2):
        async with build(settings), connected(settings) as workflow:
            project = (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project
            found.append(await catalog(workflow, project))
    assert found[0] == found[1]
    assert len(runner.probed) == 1


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"format": 1}', '{"format": 1, "fingerprint": "x", "sources": "", "catalog": "{}"}'])
async def test_a_damaged_cache_is_not_used(
    settings: WorkflowSettings, runner: ScriptedRunner, workflow: Stub, project: pb.Project, project_dir: Path, kept: str
) -> None:
    (project_dir / CACHE_FILE).parent.mkdir(parents=True)
    (project_dir / CACHE_FILE).write_text(kept)
    assert len((await catalog(workflow, project)).blocks) == len(CATALOG["blocks"])
    assert len(runner.probed) == 1


async def test_a_failed_probe_is_told_and_not_kept(workflow: Stub, project: pb.Project, runner: ScriptedRunner) -> None:
    runner.fault = RemoteError(Kind.UNAVAILABLE, "runner.no_host", "No worker host is connected.", hint="Start one.")
    with pytest.raises(RemoteError, match="No worker host is connected"):
        await catalog(workflow, project)
    runner.fault = None
    assert (await catalog(workflow, project)).blocks


async def test_an_answer_that_is_no_catalog_is_told(workflow: Stub, project: pb.Project, runner: ScriptedRunner) -> None:
    runner.catalog = {"blocks": [{"name": "nameless"}]}
    with pytest.raises(RemoteError) as refused:
        await catalog(workflow, project)
    assert refused.value.code == "catalog.unreadable"
    assert "blocks.0.type_name: Field required" in refused.value.message

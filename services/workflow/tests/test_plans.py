from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scistudio_platform.errors import DETAIL_LIMIT_BYTES, Kind, RemoteError
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_workflow.adapters.git import start_repository

from .conftest import MAIN

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub as Stub


@pytest.fixture
async def project(workflow: Stub, project_dir: Path) -> pb.Project:
    return (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project


async def plan(workflow: Stub, project: pb.Project, reference: str = "main") -> pb.GetRunPlanResponse:
    return await workflow.GetRunPlan(pb.GetRunPlanRequest(project_id=project.id, workflow=reference))


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


async def test_a_plan_holds_blocks_settings_and_ports_of_each_node(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    made = await plan(workflow, project)
    assert (made.workflow_id, made.path, made.text, made.project) == ("main", "workflows/main.yaml", MAIN, project)
    assert (made.commit, made.dirty, made.continue_on_failure) == ("", False, False)
    assert [str(edge.source_node + ":" + edge.source_port) for edge in made.edges] == ["load:data"]
    load, save = made.nodes
    assert json.loads(load.resolved_config_json) == {"path": f"{project_dir}/data/raw/a.csv", "core_type": "DataFrame"}
    assert json.loads(save.resolved_config_json) == {"path": f"{project_dir}/data/out", "filename": "", "overwrite": False}
    assert json.loads(save.node.config_json) == {"params": {"path": "data/out"}}
    assert (load.block.type_name, load.block.class_name, list(load.output_ports[0].accepted_types)) == (
        "load_data",
        "LoadData",
        ["DataFrame"],
    )
    assert [port.required for port in save.output_ports] == [False]


async def test_a_plan_is_flat_and_its_text_tells_the_whole_run(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "subworkflows/in.yaml").write_text(
        "workflow:\n  nodes:\n  - {id: r, block_type: relay_block}\n  exposed_ports:\n    inputs: [{name: into, internal: r.a}]\n"
    )
    extra = "  - {id: sub, block_type: subworkflow_block, config: {ref: {path: subworkflows/in.yaml}}}\n  edges:\n"
    edge = "  - {source: 'load:data', target: 'sub:into'}\n  metadata: {continue_on_failure: true}\n"
    (project_dir / "workflows/main.yaml").write_text(MAIN.replace("  edges:\n", extra) + edge)
    made = await plan(workflow, project)
    assert [node.node.id for node in made.nodes] == ["load", "save", "sub__r"]
    assert made.continue_on_failure
    answer = await workflow.ValidateWorkflow(pb.ValidateWorkflowRequest(project_id=project.id, text=made.text))
    assert answer.valid
    assert "sub__r" in made.text


async def test_what_cannot_run_is_refused_with_its_first_problems(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "workflows/main.yaml").write_text(MAIN.replace("load_data", "lod_data").replace("data/out", "../out"))
    with pytest.raises(RemoteError) as refused:
        await plan(workflow, project)
    assert (refused.value.kind, refused.value.code) == (Kind.INVALID, "workflow.invalid")
    assert refused.value.message.splitlines() == [
        "workflows/main.yaml cannot run: 2 problems.",
        "- line 4: Node 'load' has the block type 'lod_data', which is not known. Did you mean 'load_data'?",
        "- line 5: Node 'save': path is '../out', which leaves the project folder. "
        "Put the file into the project, or give its absolute path.",
    ]


async def test_a_thousand_problems_fit_in_one_error(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    nodes = "".join(f"  - {{id: 'µ{n}', block_type: unheard}}\n" for n in range(1000))
    (project_dir / "workflows/many.yaml").write_text(f"workflow:\n  nodes:\n{nodes}")
    with pytest.raises(RemoteError) as refused:
        await plan(workflow, project, "many")
    lines = refused.value.message.splitlines()
    assert lines[0] == "workflows/many.yaml cannot run: 1000 problems."
    assert lines[-1] == f"- … and {1000 - (len(lines) - 2)} more."
    assert len(refused.value.message.encode()) < DETAIL_LIMIT_BYTES // 2


async def test_an_empty_workflow_has_an_empty_plan(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "workflows/none.yaml").write_text("workflow: {}\n")
    assert not (await plan(workflow, project, "none")).nodes


async def test_a_plan_records_commit_and_changes(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    start_repository(project_dir)
    (project_dir / ".git/info/exclude").write_text(".scistudio/\n")
    git(project_dir, "rm", "-rq", "--cached", ".scistudio")
    git(project_dir, "commit", "-qm", "without state")
    made = await plan(workflow, project)
    assert (made.commit, made.dirty) == (git(project_dir, "rev-parse", "HEAD"), False)
    (project_dir / "workflows/new.yaml").write_text("workflow: {}")
    assert (await plan(workflow, project)).dirty


UNUSUAL = {
    "no commit yet": [["init", "-q"]],
    "detached": [["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], ["checkout", "-q", "--detach"]],
    "line ends converted": [["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], ["config", "core.autocrlf", "true"]],
}


@pytest.mark.parametrize("state", UNUSUAL)
async def test_a_plan_is_made_whatever_the_state_of_the_repository(
    workflow: Stub, project: pb.Project, project_dir: Path, state: str
) -> None:
    for arguments in UNUSUAL[state]:
        git(project_dir, *arguments)
    (project_dir / ".git/index.lock").touch()
    (project_dir / ".git/hooks/post-index-change").write_text("#!/bin/sh\nexit 1\n")
    made = await plan(workflow, project)
    assert len(made.nodes) == 2
    assert bool(made.commit) == (state != "no commit yet")


async def test_looking_at_a_repository_starts_none_of_its_programs(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    start_repository(project_dir)
    program = project_dir / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{project_dir.parent}/started'\n".replace("user's", "user'\\''s"))
    program.chmod(0o755)
    git(project_dir, "config", "core.fsmonitor", f'"{program}"')
    assert (await plan(workflow, project)).commit
    assert not (project_dir.parent / "started").exists()


async def test_a_broken_git_does_not_keep_a_run_from_starting(
    workflow: Stub, project: pb.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexec sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    assert (await plan(workflow, project)).commit == ""

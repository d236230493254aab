from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scistudio_platform.errors import Kind, RemoteError
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from .conftest import MAIN, ScriptedRunner

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub as Stub

QC = "workflow:\n  id: qc\n  nodes:\n  - {id: r, block_type: relay_block}\n"


@pytest.fixture
async def project(workflow: Stub, project_dir: Path) -> pb.Project:
    """The project, open."""
    return (await workflow.OpenProject(pb.OpenProjectRequest(path=str(project_dir)))).project


async def got(workflow: Stub, project: pb.Project, reference: str) -> pb.Workflow:
    return (await workflow.GetWorkflow(pb.GetWorkflowRequest(project_id=project.id, workflow=reference))).workflow


async def test_workflows_are_listed_with_what_keeps_some_from_being_read(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "subworkflows/qc.yaml").write_text(QC)
    (project_dir / "workflows/a.yml").write_text("workflow: {description: short}")
    (project_dir / "workflows/broken.yaml").write_text("workflow: [\n")
    (project_dir / "workflows/.hidden.yaml").write_text("")
    answer = await workflow.ListWorkflows(pb.ListWorkflowsRequest(project_id=project.id))
    assert [(found.id, found.path, found.n_nodes) for found in answer.workflows] == [
        ("@subworkflows@qc.yaml", "subworkflows/qc.yaml", 1),
        ("@workflows@a.yml", "workflows/a.yml", 0),
        ("broken", "workflows/broken.yaml", 0),
        ("main", "workflows/main.yaml", 2),
    ]
    assert [found.problem for found in answer.workflows if found.problem] == [
        "workflows/broken.yaml, line 2, column 1: a value is missing, or a bracket is not closed."
    ]


async def test_a_workflow_is_found_by_identity_path_and_absolute_path(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "subworkflows/qc.yaml").write_text(QC)
    by_identity = await got(workflow, project, "@subworkflows@qc.yaml")
    assert by_identity == await got(workflow, project, "subworkflows/qc.yaml") == await got(workflow, project, "./subworkflows//qc.yaml")
    main = await got(workflow, project, "main")
    assert main == await got(workflow, project, str(project_dir / "workflows/main.yaml"))
    assert (main.text, main.path, [node.id for node in main.nodes]) == (MAIN, "workflows/main.yaml", ["load", "save"])
    assert main.nodes[1].config_json == '{"params":{"path":"data/out"}}'


async def test_the_etag_changes_with_the_text(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    before = (await got(workflow, project, "main")).etag
    assert (await got(workflow, project, "main")).etag == before
    (project_dir / "workflows/main.yaml").write_text(MAIN + "# seen\n")
    assert (await got(workflow, project, "main")).etag != before


OUTSIDE = [
    "../../etc/passwd",
    "workflows/../../x.yaml",
    "/etc/passwd",
    "..\\..\\x.yaml",
    "@..@..@etc@passwd",
    "a\x00.yaml",
    "x" * 300 + ".yaml",
    "link.yaml",
    "workflows/link.yaml",
    "linked/x.yaml",
    "project.yaml/../../x",
]


@pytest.mark.parametrize("reference", OUTSIDE)
async def test_no_reference_leads_out_of_the_project(
    workflow: Stub, project: pb.Project, project_dir: Path, tmp_path: Path, reference: str
) -> None:
    (tmp_path / "x.yaml").write_text(QC)
    (project_dir / "link.yaml").symlink_to(tmp_path / "x.yaml")
    (project_dir / "workflows/link.yaml").symlink_to(tmp_path / "x.yaml")
    (project_dir / "linked").symlink_to(tmp_path)
    with pytest.raises(RemoteError) as refused:
        await got(workflow, project, reference)
    assert refused.value.kind in (Kind.DENIED, Kind.NOT_FOUND)
    assert refused.value.hint


@pytest.mark.parametrize(("reference", "message"), [("mian", "Did you mean 'main'?"), ("nothing.like.it", "List the project's workflows.")])
async def test_a_workflow_that_does_not_exist_is_answered_with_what_was_meant(
    workflow: Stub, project: pb.Project, reference: str, message: str
) -> None:
    with pytest.raises(RemoteError) as refused:
        await got(workflow, project, reference)
    assert (refused.value.kind, refused.value.hint) == (Kind.NOT_FOUND, message)


async def test_other_files_than_workflows_are_not_read(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "secret.txt").write_text("secret")
    with pytest.raises(RemoteError, match="does not end in") as refused:
        await got(workflow, project, "./secret.txt")
    assert "secret\n" not in refused.value.message


async def test_a_file_that_is_no_workflow_is_refused_with_file_and_line(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "workflows/main.yaml").write_text("workflow:\n<<<<<<< HEAD\n")
    with pytest.raises(RemoteError) as refused:
        await got(workflow, project, "main")
    assert (refused.value.kind, refused.value.code) == (Kind.INVALID, "workflow.unreadable")
    assert refused.value.message == "workflows/main.yaml, line 2, column 1: there is an unresolved merge conflict."


async def test_validation_tells_each_problem_with_line_and_remedy(workflow: Stub, project: pb.Project) -> None:
    text = MAIN.replace("load_data", "lod_data").replace("id: main", "id: other")
    request = pb.ValidateWorkflowRequest(project_id=project.id, text=text)
    answer = await workflow.ValidateWorkflow(request)
    assert not answer.valid
    (problem,) = answer.problems
    assert (problem.severity, problem.code, problem.node, problem.line) == (pb.SEVERITY_ERROR, "block.unknown", "load", 4)
    assert problem.hint == "Did you mean 'load_data'?"
    draft = await workflow.ValidateWorkflow(pb.ValidateWorkflowRequest(project_id=project.id, text=text, draft=True))
    assert (draft.valid, [problem.severity for problem in draft.problems]) == (True, [pb.SEVERITY_WARNING])


async def test_a_file_whose_id_is_not_its_name_is_a_warning(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    (project_dir / "workflows/main.yaml").write_text(MAIN.replace("id: main", "id: other"))
    answer = await workflow.ValidateWorkflow(pb.ValidateWorkflowRequest(project_id=project.id, workflow="main"))
    assert (answer.valid, [problem.code for problem in answer.problems]) == (True, ["workflow.id_differs"])


async def test_a_draft_is_checked_without_a_worker_and_told_so(workflow: Stub, project: pb.Project, runner: ScriptedRunner) -> None:
    runner.fault = RemoteError(Kind.UNAVAILABLE, "runner.no_host", "No worker host is connected.", hint="Start one.")
    request = pb.ValidateWorkflowRequest(project_id=project.id, workflow="main", draft=True)
    answer = await workflow.ValidateWorkflow(request)
    assert [problem.code for problem in answer.problems] == ["catalog.unavailable"]
    assert "No worker host is connected." in answer.problems[0].message
    request.draft = False
    with pytest.raises(RemoteError, match="No worker host is connected"):
        await workflow.ValidateWorkflow(request)


async def test_a_project_that_is_closed_can_be_read_but_not_run(workflow: Stub, project: pb.Project) -> None:
    await workflow.CloseProject(pb.CloseProjectRequest(project_id=project.id))
    assert (await got(workflow, project, "main")).id == "main"
    with pytest.raises(RemoteError) as refused:
        await workflow.GetRunPlan(pb.GetRunPlanRequest(project_id=project.id, workflow="main"))
    assert (refused.value.kind, refused.value.code, refused.value.hint) == (Kind.CONFLICT, "project.not_open", "Open it first.")


async def test_a_project_whose_folder_went_away_is_told_from_an_empty_one(workflow: Stub, project: pb.Project, project_dir: Path) -> None:
    project_dir.rename(project_dir.with_name("elsewhere"))
    for request in (got(workflow, project, "main"), workflow.ListWorkflows(pb.ListWorkflowsRequest(project_id=project.id))):
        with pytest.raises(RemoteError, match="not there any more") as caught:
            await request
        assert (caught.value.code, caught.value.kind) == ("project.folder_missing", Kind.NOT_FOUND)
    project_dir.with_name("elsewhere").rename(project_dir)
    assert (await got(workflow, project, "main")).id == "main"

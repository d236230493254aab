from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scistudio_platform.errors import Kind, RemoteError
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_workflow.service import build
from scistudio_workflow.settings import WorkflowSettings

from .conftest import ScriptedRunner, connected

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub as Stub


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


async def opened(workflow: Stub, path: Path) -> pb.Project:
    return (await workflow.OpenProject(pb.OpenProjectRequest(path=str(path)))).project


async def known(workflow: Stub, *, only_open: bool = False) -> list[str]:
    answer = await workflow.ListProjects(pb.ListProjectsRequest(only_open=only_open))
    return [project.id for project in answer.projects]


async def test_a_new_project_has_the_documented_layout_and_is_open(workflow: Stub, tmp_path: Path) -> None:
    request = pb.CreateProjectRequest(name="Zellen / Probe 7", parent=str(tmp_path), description="Ein Versuch: µm")
    project = (await workflow.CreateProject(request)).project
    folder = tmp_path / "Zellen - Probe 7"
    assert (project.path, project.name, project.description, project.is_open) == (str(folder), "Zellen / Probe 7", "Ein Versuch: µm", True)
    assert {path.name for path in folder.iterdir()} >= {
        "project.yaml",
        "workflows",
        "blocks",
        "types",
        "panels",
        "data",
        "logs",
        ".scistudio",
    }
    assert (folder / "project.yaml").read_text().startswith(f"project:\n  id: {project.id}\n  name: Zellen / Probe 7\n")
    assert await known(workflow, only_open=True) == [project.id]
    answer = await workflow.ValidateWorkflow(pb.ValidateWorkflowRequest(project_id=project.id, workflow="main"))
    assert (answer.valid, list(answer.problems)) == (True, [])


async def test_a_new_project_is_under_git_with_its_first_commit(workflow: Stub, tmp_path: Path) -> None:
    await workflow.CreateProject(pb.CreateProjectRequest(name="g", parent=str(tmp_path)))
    assert git(tmp_path / "g", "ls-files").split() == [".gitignore", "README.md", "project.yaml", "workflows/main.yaml"]
    assert git(tmp_path / "g", "status", "--porcelain") == ""
    assert git(tmp_path / "g", "branch", "--show-current") == "main\n"


async def test_without_git_a_project_is_made_all_the_same(workflow: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    await workflow.CreateProject(pb.CreateProjectRequest(name="g", parent=str(tmp_path)))
    assert not (tmp_path / "g/.git").exists()


REFUSED_NEW = [
    ("taken", "", Kind.ALREADY_EXISTS, "taken exists already."),
    ("new", "missing", Kind.NOT_FOUND, "missing does not exist."),
    ("new", "a-file", Kind.NOT_FOUND, "a-file is not a folder."),
    ("x" * 200, "", Kind.INVALID, "is longer than 150 bytes."),
]


@pytest.mark.parametrize(("name", "parent", "kind", "message"), REFUSED_NEW)
async def test_a_project_that_cannot_be_made_leaves_nothing(
    workflow: Stub, tmp_path: Path, name: str, parent: str, kind: Kind, message: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "a-file").touch()
    with pytest.raises(RemoteError) as refused:
        await workflow.CreateProject(pb.CreateProjectRequest(name=name, parent=str(tmp_path / parent)))
    assert refused.value.kind is kind
    assert message in refused.value.message
    assert refused.value.hint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-file", "taken"]
    assert await known(workflow) == []


REFUSED_FOLDERS = [
    ("missing", Kind.NOT_FOUND, "project.folder_missing", "There is no folder"),
    ("empty", Kind.INVALID, "project.not_a_project", "is no SciStudio project: it has no project.yaml."),
    ("a-file", Kind.INVALID, "project.not_a_project", "is a file, not a project's folder."),
    ("broken", Kind.INVALID, "project.file_broken", "project.yaml, line 2, column 1: a value is missing, or a bracket is not closed."),
    ("unnamed", Kind.INVALID, "project.file_broken", "project.yaml: the key `project`, with a mapping below it, is missing."),
    ("bad-id", Kind.INVALID, "project.file_broken", "project.yaml, line 2: the project id 'a.b' holds other characters"),
    ("piped", Kind.INVALID, "project.file_broken", "project.yaml is no ordinary file"),
    ("loop", Kind.NOT_FOUND, "project.folder_missing", "loop"),
]


@pytest.mark.parametrize(("name", "kind", "code", "message"), REFUSED_FOLDERS)
async def test_a_folder_that_is_no_project_is_refused_with_what_to_do(
    workflow: Stub, tmp_path: Path, name: str, kind: Kind, code: str, message: str
) -> None:
    for folder, text in (
        ("empty", None),
        ("broken", "project: [\n"),
        ("unnamed", ""),
        ("bad-id", "project:\n  id: a.b\n"),
        ("piped", None),
    ):
        (tmp_path / folder).mkdir()
        if text is not None:
            (tmp_path / folder / "project.yaml").write_text(text)
    (tmp_path / "a-file").touch()
    os.mkfifo(tmp_path / "piped/project.yaml")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(RemoteError) as refused:
        await opened(workflow, tmp_path / name)
    assert (refused.value.kind, refused.value.code) == (kind, code)
    assert message in refused.value.message
    assert refused.value.hint


async def test_a_relative_path_is_refused(workflow: Stub) -> None:
    with pytest.raises(RemoteError, match=r"'projects/x' is no absolute path\."):
        await workflow.OpenProject(pb.OpenProjectRequest(path="projects/x"))


async def test_opening_twice_answers_the_open_project(workflow: Stub, project_dir: Path, tmp_path: Path) -> None:
    first = await opened(workflow, project_dir)
    link = tmp_path / "link"
    link.symlink_to(project_dir)
    assert await opened(workflow, link) == first
    assert (first.id, first.name) == ("project-0a1b2c3d", "Проект")


async def test_a_project_without_an_id_gets_one_that_it_keeps(workflow: Stub, project_dir: Path) -> None:
    text = "# ours\nproject:\n    name: old   # of 2019\nlab: 7\n"
    (project_dir / "project.yaml").write_text(text)
    project = await opened(workflow, project_dir)
    lines = (project_dir / "project.yaml").read_text().splitlines()
    assert lines == ["# ours", "project:", f"    id: {project.id}", "    name: old   # of 2019", "lab: 7"]
    await workflow.CloseProject(pb.CloseProjectRequest(project_id=project.id))
    assert (await opened(workflow, project_dir)).id == project.id


async def test_a_copied_project_is_told_apart_and_a_moved_one_is_not(workflow: Stub, project_dir: Path) -> None:
    original = await opened(workflow, project_dir)
    copied = project_dir.with_name("copy")
    shutil.copytree(project_dir, copied)
    copy = await opened(workflow, copied)
    assert copy.id != original.id
    assert copy.id in (copied / "project.yaml").read_text()
    await workflow.CloseProject(pb.CloseProjectRequest(project_id=original.id))
    project_dir.rename(project_dir.with_name("moved"))
    moved = await opened(workflow, project_dir.with_name("moved"))
    assert (moved.id, Path(moved.path).name) == (original.id, "moved")
    assert await known(workflow) == [moved.id, copy.id]


async def test_a_closed_project_stays_known_and_a_forgotten_one_does_not(workflow: Stub, project_dir: Path) -> None:
    project = await opened(workflow, project_dir)
    await workflow.CloseProject(pb.CloseProjectRequest(project_id=project.id))
    assert await known(workflow) == [project.id]
    assert await known(workflow, only_open=True) == []
    await workflow.ForgetProject(pb.ForgetProjectRequest(project_id=project.id))
    assert await known(workflow) == []
    assert (project_dir / "project.yaml").exists()
    with pytest.raises(RemoteError, match="There is no known project"):
        await workflow.GetProject(pb.GetProjectRequest(project_id=project.id))
    with pytest.raises(RemoteError, match="There is no known project"):
        await workflow.ForgetProject(pb.ForgetProjectRequest(project_id=project.id))


async def test_a_restarted_service_holds_its_projects_open_again(
    settings: WorkflowSettings, runner: ScriptedRunner, project_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/project.yaml").write_text("project:\n  name: other\n")
    async with build(settings), connected(settings) as workflow:
        project, other = await opened(workflow, project_dir), await opened(workflow, tmp_path / "other")
    shutil.rmtree(tmp_path / "other")
    async with build(settings), connected(settings) as workflow:
        assert await known(workflow, only_open=True) == [project.id]
        assert sorted(await known(workflow)) == sorted([project.id, other.id])


HOLD = """
import sys
from pathlib import Path
from scistudio_workflow.adapters.project_lock import ProjectLock
ProjectLock(Path(sys.argv[1]), "http://127.0.0.1:9/").take()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(project_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the project open."""
    command = [sys.executable, "-c", HOLD, str(project_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


async def test_a_project_that_another_scistudio_holds_is_refused_with_its_process_and_address(
    workflow: Stub, project_dir: Path, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(RemoteError) as refused:
        await opened(workflow, project_dir)
    assert (refused.value.kind, refused.value.code, refused.value.subject) == (Kind.CONFLICT, "project.in_use", "http://127.0.0.1:9/")
    assert f"process {holder.pid} on {os.uname().nodename}, http://127.0.0.1:9/" in refused.value.message
    holder.kill()
    holder.wait()
    assert (await opened(workflow, project_dir)).is_open


async def test_the_lock_file_tells_who_holds_the_project(workflow: Stub, project_dir: Path) -> None:
    await opened(workflow, project_dir)
    holder = json.loads((project_dir / ".scistudio/open.lock").read_text())
    assert holder == {"pid": os.getpid(), "host": os.uname().nodename, "url": "http://127.0.0.1:7100/"}


@pytest.fixture
def read_only(project_dir: Path) -> Iterator[Path]:
    """A project on a read-only mount; root may write into any folder."""
    mount = ["mount", "--bind", str(project_dir), str(project_dir)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(project_dir)], check=True)
    yield project_dir
    subprocess.run(["umount", str(project_dir)], check=True)


async def test_a_read_only_project_is_refused_with_what_to_do(workflow: Stub, read_only: Path) -> None:
    with pytest.raises(RemoteError) as refused:
        await opened(workflow, read_only)
    with pytest.raises(RemoteError) as not_made:
        await workflow.CreateProject(pb.CreateProjectRequest(name="new", parent=str(read_only)))
    for error in (refused.value, not_made.value):
        assert (error.kind, error.code) == (Kind.DENIED, "project.read_only")
        assert error.message == f"Nothing can be written in {read_only}: Read-only file system."
        assert "must be writable" in error.hint

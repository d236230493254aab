"""The plan of a run: the strictly validated graph, and for each node its block, its configuration and its ports."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scistudio_workflow.adapters.git import GitState, git_state
from scistudio_workflow.adapters.known_projects import KnownProject
from scistudio_workflow.app.catalogs import Catalogs
from scistudio_workflow.app.projects import Projects
from scistudio_workflow.app.workflow_folder import WorkflowFile, WorkflowFolder, refuse_long_identity
from scistudio_workflow.domain.block_checks import Bound, bind
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.config import resolved
from scistudio_workflow.domain.dump import dump_workflow
from scistudio_workflow.domain.flatten import Graph
from scistudio_workflow.domain.model import Edge, Mode, Problem, Severity, Workflow
from scistudio_workflow.domain.scalars import YES_AND_NO
from scistudio_workflow.errors import WorkflowInvalid

MESSAGE_LIMIT_BYTES = 3_800  # of the 4 KiB that an error's message may have on the wire


@dataclass(frozen=True)
class PlannedNode:
    """A node with what its block is given."""

    bound: Bound
    config: dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a run needs."""

    project: KnownProject
    workflow_id: str
    path: str
    nodes: list[PlannedNode]
    edges: tuple[Edge, ...]
    text: str
    git: GitState
    continue_on_failure: bool
    warnings: list[Problem]


class Plans:
    """Makes plans of runs."""

    def __init__(self, projects: Projects, catalogs: Catalogs, *, git_timeout_s: float) -> None:
        self._projects, self._catalogs, self._git_timeout_s = projects, catalogs, git_timeout_s

    async def make(self, project_id: str, reference: str) -> Plan:
        """Return the plan of a run of a workflow.

        Raises
        ------
        ProjectNotFound, ProjectNotOpen, WorkflowNotFound, WorkflowUnreadable, PathRefused
        WorkflowInvalid
            Naming the first problems.
        """
        project = await self._projects.get_open(project_id)
        root = Path(project.path)
        file = await asyncio.to_thread(WorkflowFolder(root).open, reference)
        refuse_long_identity(file.path)
        git, snapshot = await asyncio.gather(asyncio.to_thread(git_state, root, self._git_timeout_s), self._catalogs.get(root))
        return await asyncio.to_thread(_plan, project, file, snapshot.catalog, git)


def _plan(project: KnownProject, file: WorkflowFile, catalog: Catalog, git: GitState) -> Plan:
    folder = WorkflowFolder(Path(project.path))
    graph = folder.flattened(file)
    problems = folder.problems(file, graph, catalog, Mode.STRICT)
    if errors := [problem for problem in problems if problem.severity is Severity.ERROR]:
        raise invalid(file.path, errors)
    bound = bind(graph, catalog)
    return Plan(
        project,
        file.id,
        file.path,
        [PlannedNode(node, resolved(node.spec, node.settings, project.path)) for node in bound.values()],
        graph.edges,
        _text(file, graph),
        git,
        _continues_on_failure(file.workflow),
        problems,
    )


def _text(file: WorkflowFile, graph: Graph) -> str:
    """The text that tells the whole run: the file's, or with subworkflows in place, since their files may change."""
    if not graph.files:
        return file.text
    workflow = file.workflow
    return dump_workflow(Workflow(workflow.id, workflow.version, workflow.description, graph.nodes, graph.edges, workflow.metadata))


def _continues_on_failure(workflow: Workflow) -> bool:
    value = workflow.metadata.get("continue_on_failure")
    return value is True or (isinstance(value, str) and YES_AND_NO.get(value.lower(), False))


def invalid(path: str, errors: list[Problem]) -> WorkflowInvalid:
    """Return one error that names the first problems and how many more there are."""
    lines = [f"{path} cannot run: {len(errors)} problem{'s' if len(errors) > 1 else ''}."]
    size = len(lines[0].encode())
    for number, problem in enumerate(errors):
        line = f"- {f'line {problem.line}: ' if problem.line else ''}{problem.message} {problem.hint}".rstrip()
        size += len(line.encode()) + 1
        if size > MESSAGE_LIMIT_BYTES - 40:
            lines.append(f"- … and {len(errors) - number} more.")
            break
        lines.append(line)
    return WorkflowInvalid("\n".join(lines), subject=f"workflow/{path}", hint="Correct the workflow, and validate it to see every problem.")

"""Workflow files of a project: found, read, checked."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from scistudio_platform.errors import SciStudioError

from scistudio_workflow.adapters.files import ProjectFiles
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.document import decode
from scistudio_workflow.domain.flatten import Graph, flatten
from scistudio_workflow.domain.identity import HOME, SUFFIX, SUFFIXES, identity_of, path_of
from scistudio_workflow.domain.loader import load_workflow
from scistudio_workflow.domain.model import Mode, Problem, Workflow, errors_first, warning
from scistudio_workflow.domain.paths import NAME_LIMIT_BYTES, inside
from scistudio_workflow.domain.validation import validate
from scistudio_workflow.errors import PathRefused, ProjectFolderMissing, WorkflowNotFound

UNSAVED = "the text"


@dataclass(frozen=True)
class WorkflowFile:
    """A workflow file that was read. ``path`` is project-relative; of a text that is no file yet, it is what messages call it."""

    path: str
    data: bytes
    workflow: Workflow

    @property
    def id(self) -> str:
        """The run identity."""
        return identity_of(self.path)

    @property
    def text(self) -> str:
        """The file's text."""
        return decode(self.data)

    @property
    def etag(self) -> str:
        """Changes with the text."""
        return hashlib.sha256(self.data).hexdigest()[:16]


@dataclass(frozen=True)
class Summary:
    """A line of the list of workflows. ``problem`` says why the file cannot be read as one."""

    id: str
    path: str
    description: str = ""
    n_nodes: int = 0
    problem: str = ""


@dataclass
class WorkflowFolder:
    """The workflow files of one project. Its methods read files: call them from a thread."""

    root: Path
    files: ProjectFiles = field(init=False)

    def __post_init__(self) -> None:
        self.files = ProjectFiles(self.root)

    def summaries(self) -> list[Summary]:
        """Return what there is, readable or not. Raises ProjectFolderMissing."""
        self._check_folder()
        return [self._summary(path) for path in self.files.workflow_files()]

    def _summary(self, path: str) -> Summary:
        try:
            workflow = self.read(path)
        except SciStudioError as error:
            return Summary(identity_of(path), path, problem=error.message)
        return Summary(identity_of(path), path, workflow.description, len(workflow.nodes))

    def read(self, path: str) -> Workflow:
        """Return the workflow of a project-relative path."""
        return load_workflow(self.files.read(path), path)

    def open(self, reference: str) -> WorkflowFile:
        """Return the workflow file of a run identity or a path.

        Raises
        ------
        WorkflowNotFound, WorkflowUnreadable, PathRefused, ProjectFolderMissing
        """
        path = self._locate(reference)
        data = self.files.read(path)
        return WorkflowFile(path, data, load_workflow(data, path))

    def _locate(self, reference: str) -> str:
        for path in self._candidates(reference):
            if self.files.is_file(path):
                return path
        self._check_folder()
        hint = "List the project's workflows."
        if near := difflib.get_close_matches(reference, [identity_of(path) for path in self.files.workflow_files()], n=1):
            hint = f"Did you mean {near[0]!r}?"
        raise WorkflowNotFound(f"The project has no workflow {reference[:200]!r}.", subject=f"workflow/{reference[:200]}", hint=hint)

    def _check_folder(self) -> None:
        """Tell an empty project from one whose folder went away under us."""
        if not self.root.is_dir():
            hint = "It was moved, renamed or deleted, or its drive is gone: put it back, or open the project where it is now."
            raise ProjectFolderMissing(f"The project's folder {self.root} is not there any more.", subject=str(self.root), hint=hint)

    def _candidates(self, reference: str) -> list[str]:
        """Paths that a reference may mean, the most likely first."""
        if reference.startswith("/"):
            reference = self._relative(reference)
        if "/" in reference:
            return [inside(reference)]
        candidates = [path_of(reference)] if reference else []
        return [inside(path) for path in (*candidates, *([reference] if reference.endswith(SUFFIXES) else []))]

    def _relative(self, path: str) -> str:
        """An absolute path as the project sees it, links to the project's folder followed."""
        parent, name = PurePosixPath(path).parent, PurePosixPath(path).name
        try:
            return (Path(parent).resolve().relative_to(self.root) / name).as_posix()
        except (ValueError, OSError, RuntimeError):
            raise PathRefused(
                f"The path {path[:200]!r} lies outside of the project folder {self.root}.",
                subject=path[:200],
                hint="Name a workflow file of this project, or open the project that it belongs to.",
            ) from None

    def flattened(self, file: WorkflowFile) -> Graph:
        """Return the graph with the project's subworkflows in place."""
        return flatten(file.workflow, file.path, self.read)

    def problems(self, file: WorkflowFile, graph: Graph, catalog: Catalog | None, mode: Mode) -> list[Problem]:
        """Return everything that is wrong with a workflow, errors first."""
        found = validate(graph, catalog, mode, is_file=self.files.is_file)
        return errors_first([*found, *_about_the_name(file)])


def from_text(text: str) -> WorkflowFile:
    """Return a workflow that is no file yet."""
    return WorkflowFile(UNSAVED, text.encode(errors="replace"), load_workflow(text, UNSAVED))


def _about_the_name(file: WorkflowFile) -> list[Problem]:
    """A file whose id says something else than its name; runs go by the name."""
    if file.path == UNSAVED or not file.workflow.id:
        return []
    name = PurePosixPath(file.path).name.rsplit(".", 1)[0].removesuffix(".swf")
    if name == file.workflow.id:
        return []
    message = f"The workflow's id is {file.workflow.id!r}, and its file is {file.path}: runs go by the file's name."
    return [warning("workflow.id_differs", message, hint=f"Write `id: {name}`.")]


def refuse_long_identity(path: str) -> None:
    """Refuse a file whose identity cannot name the folder of its outputs.

    Raises
    ------
    PathRefused
    """
    if len(identity_of(path).encode()) > NAME_LIMIT_BYTES:
        raise PathRefused(
            f"The path {path[:100]!r}… is too long: outputs are stored under a name made of it, which may have {NAME_LIMIT_BYTES} bytes.",
            subject=path[:200],
            hint=f"Move the file to {HOME}/, or give it a shorter name ending in {SUFFIX}.",
        )

"""The errors of the workflow service: what is wrong with a project folder, a workflow file or a path, and what to do."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class WorkflowUnreadable(SciStudioError):
    """A file that cannot be read as a workflow at all."""

    kind, code = Kind.INVALID, "workflow.unreadable"


class WorkflowNotFound(SciStudioError):
    """No workflow file of that name."""

    kind, code = Kind.NOT_FOUND, "workflow.not_found"


class WorkflowInvalid(SciStudioError):
    """A workflow that can be read and cannot run."""

    kind, code = Kind.INVALID, "workflow.invalid"


class PathRefused(SciStudioError):
    """A path that leaves the project folder, or that no file can have."""

    kind, code = Kind.DENIED, "path.refused"


class ProjectNotFound(SciStudioError):
    """No known project of that id."""

    kind, code = Kind.NOT_FOUND, "project.not_found"

    def __init__(self, project_id: str) -> None:
        super().__init__(
            f"There is no known project {project_id!r}.",
            subject=f"project/{project_id}",
            hint="List the known projects, or open the project's folder.",
        )


class ProjectNotOpen(SciStudioError):
    """A known project that this installation does not hold open."""

    kind, code = Kind.CONFLICT, "project.not_open"

    def __init__(self, project_id: str, path: str) -> None:
        super().__init__(f"The project {path} is not open.", subject=f"project/{project_id}", hint="Open it first.")


class ProjectFolderMissing(SciStudioError):
    """The folder that was named does not exist."""

    kind, code = Kind.NOT_FOUND, "project.folder_missing"


class NotAProject(SciStudioError):
    """A folder without ``project.yaml``, or no folder at all."""

    kind, code = Kind.INVALID, "project.not_a_project"


class ProjectFileBroken(SciStudioError):
    """A ``project.yaml`` that does not say which project this is."""

    kind, code = Kind.INVALID, "project.file_broken"


class ProjectReadOnly(SciStudioError):
    """A project folder, or its parent, in which nothing can be written."""

    kind, code = Kind.DENIED, "project.read_only"


class ProjectNameRefused(SciStudioError):
    """A name that cannot become a folder."""

    kind, code = Kind.INVALID, "project.name_refused"


class ProjectExists(SciStudioError):
    """A new project's folder exists already."""

    kind, code = Kind.ALREADY_EXISTS, "project.exists"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} exists already.", subject=path, hint="Choose another name, or open that folder if it is the project you mean."
        )


class ProjectInUse(SciStudioError):
    """Another SciStudio holds the project open."""

    kind, code = Kind.CONFLICT, "project.in_use"


class CatalogUnreadable(SciStudioError):
    """A worker answered a probe with something that is no catalog."""

    kind, code = Kind.INTERNAL, "catalog.unreadable"

"""The errors of this service."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class RunNotRecorded(SciStudioError):
    """Lineage has no such run."""

    kind, code = Kind.NOT_FOUND, "lineage.run_not_found"

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"Lineage has no run {run_id}.",
            subject=f"run/{run_id}",
            hint="A run appears here a moment after its start; look at the scheduler for what is running now.",
        )


class ObjectNotRecorded(SciStudioError):
    """Lineage has no such object."""

    kind, code = Kind.NOT_FOUND, "lineage.object_not_found"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"Lineage has no object {object_id}.", subject=f"object/{object_id}", hint="Objects are recorded when a block has ended."
        )


class InvalidPageToken(SciStudioError):
    """A page token that this service did not make."""

    kind, code = Kind.INVALID, "page_token.invalid"

    def __init__(self) -> None:
        super().__init__("The page token is not one of a list of runs.", hint="Start again with the first page.")


class DirectionMissing(SciStudioError):
    """A trace goes up or down."""

    kind, code = Kind.INVALID, "lineage.direction_missing"

    def __init__(self) -> None:
        super().__init__("A trace needs a direction.", hint="Ask for up (what it was made from) or down (what was made from it).")


class ProjectGone(SciStudioError):
    """The folder of a project is no longer where it was."""

    kind, code = Kind.NOT_FOUND, "project.gone"

    def __init__(self, project: str, folder: str) -> None:
        super().__init__(
            f"The folder {folder} of project {project} is gone.", subject=f"project/{project}", hint="Open it where it is now."
        )


class ProjectUnwritable(SciStudioError):
    """Lineage of one project cannot be written now; that of others goes on."""

    kind, code = Kind.CONFLICT, "lineage.project_unwritable"

    def __init__(self, project: str, cause: SciStudioError) -> None:
        super().__init__(f"Lineage of project {project} has to wait: {cause.message}", subject=f"project/{project}", hint=cause.hint)

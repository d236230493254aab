"""The errors of the worker host."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class StartFailed(SciStudioError):
    """No process for blocks could be started in this environment."""

    kind, code = Kind.UNAVAILABLE, "worker.start_failed"

    def __init__(self, reason: str, last_lines: str = "") -> None:
        said = f" It said: {last_lines}" if last_lines else ""
        super().__init__(
            f"The worker environment cannot start a block: {reason}.{said}",
            hint="Check that its Python runs and has the packages `scistudio` and `scistudio-worker`: `python -m scistudio check`.",
        )


class NotAdmitted(SciStudioError):
    """The runner does not accept this worker host."""

    kind, code = Kind.UNAUTHENTICATED, "worker.not_admitted"


class ProbeFailed(SciStudioError):
    """The catalog of a project could not be read."""

    kind, code = Kind.UNAVAILABLE, "worker.probe_failed"

    def __init__(self, reason: str, project_dir: str) -> None:
        super().__init__(
            f"The blocks of {project_dir} cannot be listed: {reason}",
            subject=project_dir,
            hint="A file in `blocks/` or `types/`, or an installed package, may end the process that reads it.",
        )


class ProjectMissing(SciStudioError):
    """The project's folder is not where the execution says."""

    kind, code = Kind.NOT_FOUND, "worker.project_missing"

    def __init__(self, project_dir: str) -> None:
        super().__init__(
            f"The folder of the project does not exist here: {project_dir or 'none was given'}.",
            subject=project_dir,
            hint="Was it moved? A worker host on another machine must see the project under the same path.",
        )

"""The errors of this service."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.ids import NodeId, RunId


class InvalidTransition(SciStudioError):
    """A block was to enter a state that does not follow from the one it is in. A fault of ours."""

    kind, code = Kind.INTERNAL, "run.invalid_transition"

    def __init__(self, run_id: RunId, node: NodeId, old: str, new: str) -> None:
        super().__init__(f"Block {node} of run {run_id} cannot go from {old} to {new}.", subject=f"run/{run_id}/node/{node}")


class RunNotFound(SciStudioError):
    """No run of that id in the project."""

    kind, code = Kind.NOT_FOUND, "run.not_found"

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"There is no run {run_id} in this project.", subject=f"run/{run_id}", hint="List the project's runs to find its id."
        )


class NodeNotFound(SciStudioError):
    """The run has no such node."""

    kind, code = Kind.NOT_FOUND, "run.node_not_found"

    def __init__(self, run_id: str, node: str) -> None:
        super().__init__(
            f"Run {run_id} has no node {node}.", subject=f"run/{run_id}/node/{node}", hint="Nodes of sub-workflows carry their prefix."
        )


class OutputNotFound(SciStudioError):
    """The node has not produced that output, or not yet."""

    kind, code = Kind.NOT_FOUND, "run.output_not_found"

    def __init__(self, run_id: str, node: str, port: str, state: str) -> None:
        super().__init__(
            f"Block {node} of run {run_id} has no output on port {port}: it is {state}.",
            subject=f"run/{run_id}/node/{node}/output/{port}",
            hint="Outputs exist once a block is done; look at its state and at the ports it has produced.",
        )


class InvalidRunId(SciStudioError):
    """Run ids name folders and subjects, so they are UUIDs."""

    kind, code = Kind.INVALID, "run.invalid_id"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"{run_id!r} is no UUID.", subject="run", hint="Leave the id out to have one made, or send a UUIDv7.")


class RunIdTaken(SciStudioError):
    """Another project has a run of that id."""

    kind, code = Kind.ALREADY_EXISTS, "run.id_taken"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} belongs to another project.", subject=f"run/{run_id}", hint="Start with a new id.")


class InvalidPageToken(SciStudioError):
    """A page token that this service did not make."""

    kind, code = Kind.INVALID, "page_token.invalid"

    def __init__(self) -> None:
        super().__init__("The page token is not one of a list of runs.", hint="Start again with the first page.")


class StepFailed(SciStudioError):
    """A fault of ours while a run went on."""

    kind, code = Kind.INTERNAL, "internal"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"The scheduler failed in run {run_id}.", subject=f"run/{run_id}", hint="The scheduler's log has the details.")

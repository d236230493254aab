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

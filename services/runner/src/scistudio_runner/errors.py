"""The errors of the runner."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class HostRefused(SciStudioError):
    """A worker host is not admitted."""

    kind, code = Kind.UNAUTHENTICATED, "runner.host_refused"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"This worker host is not admitted: {reason}.",
            subject="worker-host",
            hint="Start it again with a new enrolment token: each is good for one host, while the services' token stays the same.",
        )


class NotOurTurn(SciStudioError):
    """A worker host's stream did not begin with hello."""

    kind, code = Kind.INVALID, "runner.no_hello"


class InvalidExecution(SciStudioError):
    """A request lacks what an execution needs."""

    kind, code = Kind.INVALID, "runner.invalid_execution"


class PathRefused(SciStudioError):
    """A path leads out of the project, or to no project."""

    kind, code = Kind.INVALID, "runner.path_refused"


class NoHost(SciStudioError):
    """Nothing can run now."""

    kind, code = Kind.UNAVAILABLE, "runner.no_host"

    def __init__(self, waited_s: float) -> None:
        super().__init__(
            f"No worker host has answered within {waited_s:.0f} s.",
            hint="See whether the worker host runs (`scistudio doctor`), and what its log says.",
        )


class Stopping(SciStudioError):
    """This runner stops; what it had started goes on."""

    kind, code = Kind.UNAVAILABLE, "runner.stopping"

    def __init__(self) -> None:
        super().__init__("The runner is stopping.", hint="Ask again: executions go on, and the next runner knows them.")

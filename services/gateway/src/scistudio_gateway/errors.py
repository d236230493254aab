"""The errors of the door itself. What other services answer comes through as ``RemoteError``."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class NotSignedIn(SciStudioError):
    """No token, or a wrong one."""

    kind, code = Kind.UNAUTHENTICATED, "session.required"

    def __init__(self) -> None:
        super().__init__(
            "This needs the session token, and none or a wrong one came with the request.",
            hint="Open the address that `scistudio up` printed, or send `Authorization: Bearer <session token>`.",
        )


class HostRefused(SciStudioError):
    """The request was made for a name that is not this server's."""

    kind, code = Kind.DENIED, "host.refused"

    def __init__(self) -> None:
        super().__init__(
            "The Host header names a server that this is not.",
            hint="Use localhost, 127.0.0.1 or [::1], or add the name to SCISTUDIO_GATEWAY_ALLOWED_HOSTS.",
        )


class OriginRefused(SciStudioError):
    """A page of another origin made the request."""

    kind, code = Kind.DENIED, "origin.refused"

    def __init__(self) -> None:
        super().__init__(
            "The request comes from a page that this server did not serve.",
            hint="Where that page is yours, add its origin to SCISTUDIO_GATEWAY_ALLOWED_ORIGINS.",
        )


class BodyTooLarge(SciStudioError):
    """The request's body is longer than what is read."""

    kind, code = Kind.INVALID, "request.too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The request's body is longer than {limit_bytes:,} bytes.", hint="Send less at once.")


class RequestInvalid(SciStudioError):
    """The request does not have the form that its route takes."""

    kind, code = Kind.INVALID, "request.invalid"


class NodeNotFound(SciStudioError):
    """A run has no such node."""

    kind, code = Kind.NOT_FOUND, "node.not_found"

    def __init__(self, run: str, node: str) -> None:
        super().__init__(f"Run {run} has no node {node!r}.", subject=f"run/{run}/node/{node}", hint="The run's `nodes` name those it has.")


class HeaderTooLarge(SciStudioError):
    """What describes a piece of data does not fit into a header."""

    kind, code = Kind.INVALID, "data.header_too_large"

    def __init__(self, size_bytes: int) -> None:
        super().__init__(f"The description of this data takes {size_bytes:,} bytes.", hint="Ask for fewer columns at once, by `column=`.")


class EmptyRead(SciStudioError):
    """The panels service ended a read without an answer."""

    kind, code = Kind.INTERNAL, "data.no_answer"

    def __init__(self) -> None:
        super().__init__("The panels service ended the read without an answer.", hint="See the log of the panels service.")


class McpUnreachable(SciStudioError):
    """The mcp service does not answer."""

    kind, code = Kind.UNAVAILABLE, "mcp.unreachable"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The mcp service cannot be reached: {reason}", subject="service/mcp", hint="It is being restarted, or has stopped: try again."
        )

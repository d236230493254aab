"""What goes wrong between a service and its event bus."""

from __future__ import annotations

import nats.errors

from scistudio_platform.errors import Kind, SciStudioError


class ConnectionLost(Exception):  # a signal between our own parts; nobody outside sees it
    """The connection under a piece of work is gone. Its owner starts again on the next one."""


# What may happen to any call on the bus and is mended by a new connection. nats-py's errors all derive from its base class.
BUS_FAULTS = (ConnectionLost, nats.errors.Error, TimeoutError, OSError)


class BusDenied(SciStudioError):
    """nats-server refused the token."""

    kind, code = Kind.UNAUTHENTICATED, "bus.denied"

    def __init__(self, url: str) -> None:
        super().__init__(
            f"The event bus at {url} refused the token.",
            subject="nats",
            hint="SCISTUDIO_NATS_TOKEN must be the token in nats-server's configuration.",
        )


class BusMisconfigured(SciStudioError):
    """nats-server would not take our largest events."""

    kind, code = Kind.UNAVAILABLE, "bus.misconfigured"

    def __init__(self, url: str, max_payload: int, needed: int) -> None:
        super().__init__(
            f"The event bus at {url} takes messages of {max_payload} bytes; {needed} are needed.",
            subject="nats",
            hint="Set `max_payload: 8MB` in nats-server's configuration.",
        )

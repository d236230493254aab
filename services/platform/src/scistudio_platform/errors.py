"""Errors a person can act on, and their form on the wire."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from scistudio_proto.common.v1.error_pb2 import ErrorDetail

DETAIL_LIMIT_BYTES = 8 * 1024  # trailers above 16 KB arrive as "Stream removed" in place of the error


class Kind(StrEnum):
    """What sort of error it is; one table in ``rpc.status`` gives each a gRPC status, its twin in the gateway an HTTP one."""

    INVALID = "invalid"
    NOT_FOUND = "not_found"
    ALREADY_EXISTS = "already_exists"
    CONFLICT = "conflict"
    DENIED = "denied"
    UNAUTHENTICATED = "unauthenticated"
    UNAVAILABLE = "unavailable"
    EXHAUSTED = "exhausted"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


class SciStudioError(Exception):
    """An error a person can act on. ``kind`` says what sort, ``code`` which one (never renamed once shipped).

    Parameters
    ----------
    message : str
        What was wrong and where, one or two sentences.
    subject : str
        What the error is about, as a path of ids: ``workflow/main/node/load``.
    hint : str
        What to do about it.
    """

    kind: ClassVar[Kind] = Kind.INTERNAL
    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, subject: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message, self.subject, self.hint = message, subject, hint

    @property
    def text(self) -> str:
        """The message with its hint, for a terminal or a log."""
        return f"{self.message} {self.hint}".strip()


class RemoteError(SciStudioError):
    """What another service answered. ``kind`` and ``code`` are those of the error that it raised."""

    def __init__(self, kind: Kind, code: str, message: str, *, subject: str = "", hint: str = "") -> None:
        super().__init__(message, subject=subject, hint=hint)
        self.kind = kind  # type: ignore[misc]  # of this error, not of the class: one class stands for all remote ones
        self.code = code  # type: ignore[misc]


def _cut(text: str, limit: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= limit else encoded[: limit - 3].decode(errors="ignore") + "…"


def to_detail(error: SciStudioError) -> ErrorDetail:
    """Return the wire form, cut to what trailers can carry."""
    return ErrorDetail(
        code=error.code,
        message=_cut(error.message, DETAIL_LIMIT_BYTES // 2),
        subject=_cut(error.subject, 512),
        hint=_cut(error.hint, DETAIL_LIMIT_BYTES // 4),
    )


def from_detail(kind: Kind, detail: ErrorDetail) -> RemoteError:
    """Return the error that ``detail`` describes."""
    return RemoteError(kind, detail.code or "internal", detail.message, subject=detail.subject, hint=detail.hint)

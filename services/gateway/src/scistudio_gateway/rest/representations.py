"""What all representations share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote, unquote

from fastapi import Depends, Path, Query, Response
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.requests import HTTPConnection, Request

from scistudio_gateway.adapters.backends import Backends

ItemT = TypeVar("ItemT")
Json = Any


class Representation(BaseModel):
    """A body that the API answers with."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Form(BaseModel):
    """A body that the API takes. A misspelt name is an error, not an option that is never looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Page(Representation, Generic[ItemT]):
    """One page of a list."""

    items: list[ItemT]
    next_cursor: str | None = Field(None, description="Pass as `cursor` for what follows; null at the end.")


async def _backends(connection: HTTPConnection) -> Backends:
    backends: Backends = connection.app.state.backends
    return backends


Services = Annotated[Backends, Depends(_backends)]

# Routing happens on paths in which an encoded slash or percent sign is still encoded, so that any id is one segment (see web.paths).
Segment = Annotated[str, AfterValidator(unquote)]
ProjectPath = Annotated[Segment, Path(description="Project id.")]
WorkflowPath = Annotated[Segment, Path(description="Run identity or project-relative path of a workflow.")]
RunPath = Annotated[Segment, Path(description="Run id.")]
NodePath = Annotated[Segment, Path(description="Node id.")]
PortPath = Annotated[Segment, Path(description="Name of an output port.")]
INT32, INT64 = 2**31 - 1, 2**63 - 1
IndexPath = Annotated[int, Path(ge=0, le=INT32, description="Place of the item on its port, from 0.")]
CursorQuery = Annotated[str, Query(description="`next_cursor` of the page before; empty for the first.")]
LimitQuery = Annotated[int, Query(ge=1, le=500, description="Most items in the answer.")]


def moment(timestamp: Timestamp) -> datetime | None:
    """Return the aware datetime, or None where the field is not set."""
    return timestamp.ToDatetime(tzinfo=UTC) if timestamp.seconds or timestamp.nanos else None


def certain_moment(timestamp: Timestamp) -> datetime:
    """Return the aware datetime of a field that is always set."""
    return timestamp.ToDatetime(tzinfo=UTC)


def api_path(*segments: str) -> str:
    """Return the path of a resource, for ``Location``."""
    return "/".join(["/api/v1", *(quote(segment, safe="") for segment in segments)])


NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "The caller's `If-None-Match` names this version."}}


def is_current(request: Request, response: Response, etag: str) -> bool:
    """Set the answer's ``ETag``, and say whether the caller has that version."""
    tag = f'"{quote(etag, safe=":.-_=")}"'
    response.headers.update({"ETag": tag, "Cache-Control": "private, no-cache"})
    known = _tags(request.headers.getlist("if-none-match"))
    return bool(etag) and (tag in known or "*" in known)


def _tags(headers: Iterable[str]) -> set[str]:
    return {tag.strip().removeprefix("W/") for header in headers for tag in header.split(",")}


def not_modified(response: Response) -> Response:
    """Return 304 with the headers that a full answer would have."""
    return Response(status_code=304, headers={name: response.headers[name] for name in ("etag", "cache-control")})

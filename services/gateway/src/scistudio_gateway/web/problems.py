"""Problem JSON (RFC 9457): the one table from kinds of error to HTTP statuses, and the form of every refusal and fault."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, ConfigDict, Field
from scistudio_platform.errors import Kind, RemoteError, SciStudioError
from scistudio_platform.logging import get_logger
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from scistudio_gateway.errors import BodyTooLarge, McpUnreachable, RequestInvalid

MEDIA_TYPE = "application/problem+json"
STATUS_OF_KIND = {
    Kind.INVALID: 422,
    Kind.NOT_FOUND: 404,
    Kind.ALREADY_EXISTS: 409,
    Kind.CONFLICT: 409,
    Kind.DENIED: 403,
    Kind.UNAUTHENTICATED: 401,
    Kind.UNAVAILABLE: 503,
    Kind.EXHAUSTED: 429,
    Kind.TIMEOUT: 504,
    Kind.CANCELLED: 503,
    Kind.INTERNAL: 500,
}
STATUS_OF_ERROR: dict[type[SciStudioError], int] = {BodyTooLarge: 413, McpUnreachable: 502}
HEADERS_OF_STATUS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "1"}}
LISTED_FAULTS = 5

logger = get_logger("gateway")


class Fault(BaseModel):
    """One thing that is wrong with a request."""

    location: str = Field(description="Where: `body.workflow`, `query.limit`.")
    message: str


class Problem(BaseModel):
    """What was wrong, where, and what to do about it (RFC 9457)."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    type: str = Field(description="urn:scistudio:error:<code>")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="What was wrong, one or two sentences.")
    instance: str = Field(description="Path of the request.")
    code: str = Field(description="Which error it is, for programs. Never renamed.")
    subject: str = Field("", description="What it is about, as a path of ids.")
    hint: str = Field("", description="What to do about it.")
    trace_id: str = Field(description="Stands in the logs of this request.")
    faults: list[Fault] = Field([], description="What is wrong with the request, where there is a list of it.")


def status_of(error: SciStudioError) -> int:
    """Return the HTTP status of an error. What other services refuse to *us* is our fault, never the caller's."""
    if isinstance(error, RemoteError) and error.kind is Kind.UNAUTHENTICATED:
        return 502
    return STATUS_OF_ERROR.get(type(error), STATUS_OF_KIND[error.kind])


def problem(
    connection: HTTPConnection,
    error: SciStudioError,
    *,
    status: int | None = None,
    headers: dict[str, str] | None = None,
    faults: list[Fault] | None = None,
) -> JSONResponse:
    """Return the response that says what went wrong."""
    status = status or status_of(error)
    body = Problem(
        type=f"urn:scistudio:error:{error.code}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=error.message,
        instance=connection.url.path,
        code=error.code,
        subject=error.subject,
        hint=error.hint,
        trace_id=connection.scope.get("trace_id", ""),
        faults=faults or [],
    )
    return JSONResponse(body.model_dump(), status, headers={**HEADERS_OF_STATUS.get(status, {}), **(headers or {})}, media_type=MEDIA_TYPE)


def internal(connection: HTTPConnection) -> JSONResponse:
    """Return the response for a fault of our own: nothing of it but the trace id leaves the process."""
    hint = "This is a fault of SciStudio: the gateway's log has it under this trace id."
    return problem(connection, RemoteError(Kind.INTERNAL, "internal", "An internal error in the gateway.", hint=hint))


async def on_error(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that a person can act on."""
    assert isinstance(error, SciStudioError)
    if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", code=error.code, path=request.url.path, message=error.message)
    return problem(request, error)


async def on_invalid(request: Request, error: Exception) -> JSONResponse:
    """Answer a request whose parameters or body do not fit its route; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    faults = [Fault(location=".".join(str(part) for part in fault["loc"]), message=fault["msg"]) for fault in error.errors()]
    detail = "; ".join(f"{fault.location}: {fault.message}" for fault in faults[:LISTED_FAULTS])
    hint = "The route's form is in /api/v1/openapi.json."
    return problem(request, RequestInvalid(detail, hint=hint), status=422, faults=faults)


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    """Answer what the framework refuses: no such route, another method, a body that is too long."""
    assert isinstance(error, HTTPException)
    status, path = error.status_code, request.url.path
    if status == HTTPStatus.BAD_REQUEST:
        return problem(request, RequestInvalid("The body cannot be read.", hint="Send JSON in UTF-8."))
    known: dict[int, tuple[str, str]] = {
        404: ("route.not_found", f"There is nothing at {path}."),
        405: ("method.not_allowed", f"{path} does not take {request.method}."),
        413: ("request.too_large", "The request's body is too long."),
    }
    code, detail = known.get(status, ("request.refused", str(error.detail)))
    headers: dict[str, Any] = dict(error.headers or {})
    if allowed := methods_at(request) if status == HTTPStatus.METHOD_NOT_ALLOWED else []:
        headers["Allow"] = ", ".join(allowed)  # the framework names those of the first route alone
    hint = f"It takes {headers['Allow']}." if "Allow" in headers else ""
    return problem(request, RemoteError(Kind.INVALID, code, detail, hint=hint), status=status, headers=headers)


def methods_at(request: Request) -> list[str]:
    """Return the methods that the API takes at a request's path, over all its routes."""
    routes = [route for route in iter_route_contexts(request.app.routes) if hasattr(route, "path_regex")]
    return sorted({method for route in routes if route.path_regex.match(request.scope["path"]) for method in route.methods or ()})


def answer_problems(app: Starlette) -> None:
    """Make every refusal and fault of ``app`` a problem."""
    app.add_exception_handler(SciStudioError, on_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http_error)

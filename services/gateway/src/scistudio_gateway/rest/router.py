"""All routes under ``/api/v1``, and their description."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi

import scistudio_gateway
from scistudio_gateway.rest import catalog, data, files, health, lineage, logs, projects, runs, session, workflows
from scistudio_gateway.web.problems import MEDIA_TYPE, Problem

API = "/api/v1"
OPEN_OPERATIONS = frozenset({"get_health", "create_session"})
DESCRIPTION = """Projects, workflows, runs and data of SciStudio.

Every request needs the session token, as `Authorization: Bearer <token>` or as the cookie that `POST /session` sets. Lists answer pages:
pass `next_cursor` as `cursor`. Errors are problems (RFC 9457). Integers beyond 2^53 in free-form JSON are strings.
Events come over the WebSocket `/api/v1/events?project=&after=<cursor>`.
"""
SECURITY_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "The session token."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "scistudio-local",
        "description": "Set by `POST /session`; named after the instance.",
    },
}
PROBLEM_RESPONSES = {
    "401": "The session token is missing or wrong.",
    "403": "The Host or Origin is not allowed, or the caller may not do this.",
    "404": "There is no such thing.",
    "409": "The state of things does not allow it.",
    "422": "The request does not have the form that its route takes, or asks for what cannot be.",
    "503": "A service that this needs is down.",
    "default": "Another problem.",
}


def api_router() -> APIRouter:
    """Return all routes of the API, the unknown ones included."""
    router = APIRouter(prefix=API)
    for part in (health, session, projects, workflows, catalog, runs, logs, data, files, lineage):
        router.include_router(part.router)
    return router


def make_api() -> FastAPI:
    """Return an application with the API's routes and nothing behind them yet."""
    app = FastAPI(
        title="SciStudio",
        version=scistudio_gateway.__version__,
        description=DESCRIPTION,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would redirect to whatever the Host header says
        generate_unique_id_function=lambda route: route.name,
        telemetry={"metrics": False, "logs": False, "operation_spans": False, "exclude": _untraced},
    )
    app.include_router(api_router())
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


def _untraced(scope: Any) -> bool:
    """Sockets stay open for hours, and a query with a token must not stand in a span."""
    return scope["type"] == "websocket" or b"token" in scope["query_string"]


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with how to come in and with problems for every operation."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        components = document["components"]
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        components["schemas"] |= {**problem.pop("$defs"), "Problem": problem}
        for replaced in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(replaced, None)
        components["securitySchemes"] = SECURITY_SCHEMES
        document["security"] = [{name: []} for name in SECURITY_SCHEMES]
        for operations in document["paths"].values():
            for operation in operations.values():
                _add_problems(operation)
        app.openapi_schema = document
    return app.openapi_schema


def _add_problems(operation: dict[str, Any]) -> None:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    operation["responses"].pop("422", None)  # the framework's own form, which nothing here answers with
    for status, description in PROBLEM_RESPONSES.items():
        operation["responses"].setdefault(status, {"description": description, "content": content})
    if operation["operationId"] in OPEN_OPERATIONS:
        operation["security"] = []

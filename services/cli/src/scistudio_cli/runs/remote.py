"""A running SciStudio behind its gateway: what the page uses, used from the terminal."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx2
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import new_id

from scistudio_cli.runs.model import LogLineView, ProblemView, RunSnapshot
from scistudio_cli.runs.wire import run_from_json

PATIENCE_S = 20.0  # a gateway that is being restarted is back within a second
PAUSE_S = 0.1
KIND_OF_STATUS = {
    400: Kind.INVALID,
    401: Kind.UNAUTHENTICATED,
    403: Kind.DENIED,
    404: Kind.NOT_FOUND,
    409: Kind.CONFLICT,
    422: Kind.INVALID,
}


class Remote:
    """A client of the gateway, for one project.

    Parameters
    ----------
    url : str
        The gateway's address, without a token.
    token : str
        Session token.
    project_id : str
        May be empty until ``open_project`` has answered.
    """

    def __init__(self, url: str, token: str, project_id: str = "") -> None:
        self.url, self.project_id = url.rstrip("/"), project_id
        self._headers = {"authorization": f"Bearer {token}"}
        self._http = httpx2.AsyncClient(base_url=f"{self.url}/api/v1", headers=self._headers, timeout=30.0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def projects(self) -> list[dict[str, Any]]:
        """Known projects."""
        items: list[dict[str, Any]] = (await self._ask("GET", "/projects")).json()["items"]
        return items

    def _path(self, *parts: str | int) -> str:
        return "/".join(["", "projects", self.project_id, *(quote(str(part), safe="") for part in parts)])

    async def _ask(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        """Ask, again while the gateway is being restarted, and raise what a problem says."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = await self._http.request(method, path, **arguments)
            except httpx2.TransportError as error:
                failure = RemoteError(Kind.UNAVAILABLE, "gateway.unreachable", f"{self.url} cannot be reached: {error}")
            else:
                if answer.status_code < 400:
                    return answer
                failure = _problem(answer)
                if answer.status_code not in (502, 503, 504):
                    raise failure
            if time.monotonic() > deadline:
                raise failure
            await asyncio.sleep(PAUSE_S)

    async def open_project(self, path: str) -> dict[str, Any]:
        """Open the project folder and make it this client's."""
        answer: dict[str, Any] = (await self._ask("POST", "/projects", json={"path": path, "existing": True})).json()
        self.project_id = answer["id"]
        return answer

    async def validate(self, workflow: str) -> list[ProblemView]:
        """Every problem of a workflow, errors first."""
        answer = (await self._ask("POST", self._path("workflows", workflow, "validation"))).json()
        names = ("severity", "code", "message", "node", "port", "hint", "line")
        return [ProblemView(**{name: problem[name] for name in names if problem.get(name)}) for problem in answer["problems"]]

    async def start(self, workflow: str) -> RunSnapshot:
        """Start a run; asked again after a restart it stays the same run."""
        body = {"workflow": workflow, "run_id": new_id()}
        return run_from_json((await self._ask("POST", self._path("runs"), json=body)).json())

    async def snapshot(self, run_id: str) -> RunSnapshot:
        """The run, now."""
        return run_from_json((await self._ask("GET", self._path("runs", run_id))).json())

    async def cancel(self, run_id: str, reason: str) -> None:
        """Ask the run to stop."""
        await self._ask("PATCH", self._path("runs", run_id), json={"state": "cancelled", "reason": reason})

    async def settle(self, run_id: str) -> None:
        """Nothing: the services stay."""

    async def changes(self, run_id: str) -> AsyncIterator[None]:
        """Events of the project over the WebSocket; it comes back by itself."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidHandshake, WebSocketException

        address = f"ws{self.url.removeprefix('http')}/api/v1/events?project={quote(self.project_id, safe='')}"
        while True:
            try:
                async with connect(address, additional_headers=self._headers) as socket:
                    async for frame in socket:
                        if json.loads(frame).get("run") in (run_id, None):
                            yield
            except (OSError, InvalidHandshake, WebSocketException):
                pass  # the gateway is away; the follower looks every second anyway
            await asyncio.sleep(PAUSE_S)

    async def log_lines(self, run_id: str) -> AsyncIterator[LogLineView]:
        """Lines from now on, as they are printed; after a restart it goes on."""
        headers = {"accept": "text/event-stream"}
        while True:
            try:
                async with self._http.stream("GET", self._path("logs"), params={"run": run_id}, headers=headers) as answer:
                    async for text in answer.aiter_lines():
                        if text.startswith("event: end"):
                            return
                        if text.startswith("data:") and "text" in (line := json.loads(text[5:])):
                            yield _line(line)
            except httpx2.TransportError:
                pass
            await asyncio.sleep(PAUSE_S)

    async def log_page(self, run_id: str) -> list[LogLineView]:
        """The latest lines of all blocks."""
        answer = (await self._ask("GET", self._path("logs"), params={"run": run_id})).json()
        return [_line(line) for line in answer["items"]]

    async def objects(self, run_id: str, node: str, port: str) -> list[dict[str, Any]]:
        """Descriptions of the items on an output port."""
        answer = await self._ask("GET", self._path("runs", run_id, "nodes", node, "outputs", port))
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    async def read(self, run_id: str, node: str, port: str, index: int, what: str, **query: Any) -> httpx2.Response:
        """One bounded read of an item: ``what`` is table, text, array or file."""
        return await self._ask("GET", self._path("runs", run_id, "nodes", node, "outputs", port, index, what), params=query)


def _line(line: dict[str, Any]) -> LogLineView:
    return LogLineView(line["node_id"], line["line"], line["text"], line["level"])


def _problem(answer: httpx2.Response) -> RemoteError:
    """Return the error that a problem document holds."""
    try:
        body = answer.json()
    except ValueError:
        body = {}
    kind = KIND_OF_STATUS.get(answer.status_code, Kind.UNAVAILABLE if answer.status_code >= 502 else Kind.INTERNAL)
    detail = body.get("detail") or f"The gateway answered {answer.status_code}."
    return RemoteError(kind, body.get("code", "gateway.error"), detail, subject=body.get("subject") or "", hint=body.get("hint") or "")

"""The built gateway on a real TCP socket; the services behind it are scripted at the process boundary."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from pydantic import SecretStr
from scistudio_gateway.service import build
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.http import listening_socket
from scistudio_platform.nats import NatsServer
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_platform.testing import make_settings, short_dir
from scistudio_proto.lineage.v1 import lineage_pb2, lineage_pb2_grpc
from scistudio_proto.mcp.v1 import mcp_pb2, mcp_pb2_grpc
from scistudio_proto.panels.v1 import panels_pb2, panels_pb2_grpc
from scistudio_proto.runner.v1 import runner_pb2, runner_pb2_grpc
from scistudio_proto.scheduler.v1 import scheduler_pb2, scheduler_pb2_grpc
from scistudio_proto.workflow.v1 import workflow_pb2, workflow_pb2_grpc

SESSION_TOKEN = "the-session-token-of-the-tests"
PROTOS = {
    "workflow": (workflow_pb2, workflow_pb2_grpc),
    "scheduler": (scheduler_pb2, scheduler_pb2_grpc),
    "runner": (runner_pb2, runner_pb2_grpc),
    "lineage": (lineage_pb2, lineage_pb2_grpc),
    "panels": (panels_pb2, panels_pb2_grpc),
    "mcp": (mcp_pb2, mcp_pb2_grpc),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a module in one loop, since they share a gateway."""
    for item in items:
        if item.path.parent == Path(__file__).parent and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@dataclass
class Script:
    """What a scripted service answers, by method: a message, an error, a function of the request; for streams an iterable of messages."""

    answers: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, list[Any]] = field(default_factory=dict)

    def answer(self, method: str, request: Any) -> Any:
        self.requests.setdefault(method, []).append(request)
        answer = self.answers[method]
        answer = answer(request) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer


def scripted_servicer(messages: ModuleType, service: str, script: Script) -> Any:
    """Make a servicer of a generated service whose methods all answer from ``script``."""

    def unary(name: str) -> Callable[..., Any]:
        async def call(self: Any, request: Any, context: Any) -> Any:
            return script.answer(name, request)

        return call

    def stream(name: str) -> Callable[..., Any]:
        async def call(self: Any, request: Any, context: Any) -> AsyncIterator[Any]:
            answers = script.answer(name, request)
            if hasattr(answers, "__aiter__"):
                async for answer in answers:
                    yield answer
            else:
                for answer in answers:
                    yield answer

        return call

    methods = messages.DESCRIPTOR.services_by_name[service].methods
    calls = {method.name: (stream if method.server_streaming else unary)(method.name) for method in methods}
    base = getattr(PROTOS[messages.DESCRIPTOR.package.split(".")[1]][1], f"{service}Servicer")
    return type(service, (base,), calls)()


@dataclass
class Others:
    """The scripts of all other services, and their servers."""

    workflow: Script = field(default_factory=Script)
    scheduler: Script = field(default_factory=Script)
    runner: Script = field(default_factory=Script)
    lineage: Script = field(default_factory=Script)
    panels: Script = field(default_factory=Script)
    mcp: Script = field(default_factory=Script)
    servers: dict[str, GrpcServer] = field(default_factory=dict)


@pytest.fixture(scope="module")
def settings() -> Iterator[GatewaySettings]:
    base = short_dir()
    token = SecretStr(SESSION_TOKEN)
    settings = make_settings(GatewaySettings, session_token=token, instance="tests", page_dir=base / "page", health_timeout_s=5.0)
    yield settings
    shutil.rmtree(base)
    shutil.rmtree(settings.run_dir)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def neighbours(settings: GatewaySettings) -> AsyncIterator[Others]:
    """Every other service, on its Unix socket."""
    others = Others()
    for name, (messages, stubs) in PROTOS.items():
        service = f"{name.capitalize()}Service"
        servicer = scripted_servicer(messages, service, getattr(others, name))
        others.servers[name] = GrpcServer(settings, {getattr(stubs, f"add_{service}Servicer_to_server"): servicer}, name=name)
    async with Service("others", list(others.servers.values())):
        yield others


@pytest.fixture
def others(neighbours: Others) -> Others:
    """Every other service, with nothing to say yet."""
    for name in PROTOS:
        script: Script = getattr(neighbours, name)
        script.answers.clear()
        script.requests.clear()
    return neighbours


@asynccontextmanager
async def serving(settings: GatewaySettings) -> AsyncIterator[str]:
    """The built gateway; gives its address."""
    sock = listening_socket("127.0.0.1:0")
    port = sock.getsockname()[1]
    async with build(settings, sock=sock):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def serve() -> Callable[[GatewaySettings], Any]:
    """Starts a gateway with settings of the test's own."""
    return serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(settings: GatewaySettings, neighbours: Others) -> AsyncIterator[str]:
    """One gateway for all tests of a module; it keeps nothing between requests."""
    async with serving(settings) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="module")
async def http(url: str, others: Others) -> AsyncIterator[httpx2.AsyncClient]:
    """A program that has the token."""
    headers = {"authorization": f"Bearer {SESSION_TOKEN}"}
    async with httpx2.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=20) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def stranger(url: str, others: Others) -> AsyncIterator[httpx2.AsyncClient]:
    """Somebody without a token."""
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:
        yield client


@pytest.fixture
def session_token() -> str:
    return SESSION_TOKEN


@pytest.fixture
def with_nats(settings: GatewaySettings, nats: NatsServer) -> GatewaySettings:
    """Settings with a real event bus."""
    return settings.model_copy(update={"nats_url": nats.url, "nats_token": SecretStr(nats.token), "heartbeat_s": 0.3})


def read_parts(metadata: dict[str, Any], parts: Iterable[bytes], media_type: str) -> list[Any]:
    """What ``panels.Read`` answers."""
    header = panels_pb2.ReadHeader(media_type=media_type, metadata_json=json.dumps(metadata))
    return [panels_pb2.ReadResponse(header=header), *(panels_pb2.ReadResponse(body=part) for part in parts)]


@pytest.fixture
def read_answer() -> Callable[..., list[Any]]:
    return read_parts

"""A gateway with traces, asked once; prints the spans as JSON. A program of its own: the tracer provider is the process's."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scistudio_gateway.service import build
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.http import listening_socket
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.telemetry import install
from scistudio_platform.testing import make_settings
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceServicer, add_WorkflowServiceServicer_to_server


class Workflow(WorkflowServiceServicer):
    async def GetProject(self, request: Any, context: Any) -> Any:
        raise RemoteError(Kind.NOT_FOUND, "project.not_found", "There is no such project.")


async def asked() -> dict[str, Any]:
    settings = make_settings(GatewaySettings, session_token="t")
    sock = listening_socket("127.0.0.1:0")
    workflow = GrpcServer(
        settings,
        {add_WorkflowServiceServicer_to_server: Workflow()},  # type: ignore[abstract]  # one method is enough
        name="workflow",
    )
    await workflow.start()
    async with build(settings, sock=sock), httpx2.AsyncClient(base_url=f"http://127.0.0.1:{sock.getsockname()[1]}") as client:
        answer = await client.get("/api/v1/projects/p", headers={"authorization": "Bearer t"})
        await client.get("/?token=t")
    await workflow.stop()
    problem: dict[str, Any] = answer.json()
    return problem


exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
install(provider)
problem = asyncio.run(asked())
print(json.dumps({"problem": problem, "spans": [json.loads(span.to_json()) for span in exporter.get_finished_spans()]}))

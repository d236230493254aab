"""A program: seven services and a worker host in one loop, one run over HTTP, its spans collected in memory and printed as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import httpx2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scistudio_cli import places
from scistudio_cli.composition import SERVICES, Place, make_service
from scistudio_platform import telemetry
from scistudio_platform.http import listening_socket
from scistudio_platform.nats import NatsServer

TOKEN = "token-of-the-test"
ENDED = {"completed", "failed", "cancelled"}


async def run(project: Path, place: Place) -> str:
    """Run the workflow through the gateway and return the run's state."""
    door = listening_socket("127.0.0.1:0")
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    gateway = {"session_token": TOKEN, "http": None}
    services = [make_service("worker", place, {"http": None})]
    services += [make_service(name, place, {} if name == "mcp" else {"http": None}) for name in SERVICES if name != "gateway"]
    services.append(make_service("gateway", place, gateway, sock=door))
    for service in services:
        await service.start()
    try:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=30) as http:
            opened = (await http.post("/projects", json={"path": str(project), "existing": True})).json()
            started = (await http.post(f"/projects/{opened['id']}/runs", json={"workflow": "two"})).json()
            while True:
                found = (await http.get(f"/projects/{opened['id']}/runs/{started['id']}")).json()
                if found["state"] in ENDED:
                    await asyncio.sleep(0.5)  # the last spans end after the state is known
                    return str(found["state"])
                await asyncio.sleep(0.05)
    finally:
        for service in reversed(services):
            await service.stop()


def main() -> None:
    """Print the run's state and its spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry.install(provider)
    nats = NatsServer(places.state_dir() / "nats" / "traced")
    nats.start()
    try:
        place = Place(places.TemporaryRunDir().path, places.state_dir(), nats.url, nats.token)
        state = asyncio.run(run(Path(sys.argv[1]), place))
    finally:
        nats.stop()
    spans = [
        {"name": span.name, "trace": span.context.trace_id, "attributes": dict(span.attributes or {})}
        for span in exporter.get_finished_spans()
    ]
    print(json.dumps({"state": state, "spans": spans}, default=str))


if __name__ == "__main__":
    main()

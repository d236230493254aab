"""The gateway as a process and as a part of the whole: health, start and stop, traces, and what never reaches a log."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.errors import SciStudioError
from scistudio_platform.http import listening_socket
from scistudio_platform.testing import eventually, short_dir
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

SECRETS = {"session": "the-session-secret", "service": "the-service-secret", "nats": "the-nats-secret", "guess": "a-wrong-guess"}


async def test_health_is_200_when_all_serve_and_names_what_is_down(with_nats: GatewaySettings, others: Any, serve: Any) -> None:
    async with serve(with_nats) as url, httpx2.AsyncClient(base_url=url, timeout=20) as client:
        await until_it_answers(url, 200)
        body: dict[str, Any] = (await client.get("/api/v1/health")).json()
        assert (body["status"], set(body["services"].values())) == ("ok", {"serving"})
        assert body["services"].keys() == {"gateway", "workflow", "scheduler", "runner", "lineage", "panels", "mcp", "nats"}
        await others.servers["lineage"].set_serving(False)
        answer = await client.get("/api/v1/health")
    assert (answer.status_code, answer.json()["status"], answer.json()["services"]["lineage"]) == (503, "degraded", "down")


async def test_a_service_that_is_not_there_does_not_hold_health_up(settings: GatewaySettings, serve: Any) -> None:
    alone = settings.model_copy(update={"health_timeout_s": 0.1, "run_dir": short_dir()})
    async with serve(alone) as url, httpx2.AsyncClient(base_url=url, timeout=20) as client:
        services = (await client.get("/api/v1/health")).json()["services"]
    assert services.pop("gateway") == "serving"
    assert set(services.values()) == {"down"}


async def test_a_port_that_is_taken_is_said_to_be(settings: GatewaySettings) -> None:
    from scistudio_gateway.service import build

    with listening_socket("127.0.0.1:0") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SciStudioError, match=f"cannot listen on 127.0.0.1:{port}") as error:
            await build(settings.model_copy(update={"port": port})).start()
    assert "port 0" in error.value.hint


def environment(base: Path, port: int, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "SCISTUDIO_RUN_DIR": str(base),
        "SCISTUDIO_STATE_DIR": str(base),
        "SCISTUDIO_TOKEN": SECRETS["service"],
        "SCISTUDIO_NATS_URL": "nats://127.0.0.1:1",
        "SCISTUDIO_NATS_TOKEN": SECRETS["nats"],
        "SCISTUDIO_GATEWAY_SESSION_TOKEN": SECRETS["session"],
        "SCISTUDIO_GATEWAY_PORT": str(port),
        "SCISTUDIO_GATEWAY_HEALTH_TIMEOUT_S": "0.1",
        "SCISTUDIO_LOG_LEVEL": "debug",
        **more,
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def process(**more: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process, Path]]:
    """``python -m scistudio_gateway``; gives its address, itself and its log."""
    base, port = short_dir(), free_port()
    log = base / "log"
    with log.open("wb") as output:
        command = (sys.executable, "-m", "scistudio_gateway")
        started = await asyncio.create_subprocess_exec(*command, env=environment(base, port, **more), stdout=output, stderr=output)
    try:
        yield f"http://127.0.0.1:{port}", started, log
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def answers(url: str, status: int) -> bool:
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:
        try:
            return (await client.get("/api/v1/health")).status_code == status
        except httpx2.TransportError:
            return False


async def until_it_answers(url: str, status: int) -> None:
    await eventually(lambda: answers(url, status), timeout_s=30)  # type: ignore[arg-type,return-value]  # no type is inferred for it


async def use_every_secret(url: str) -> None:
    """Right and wrong tokens, by every way they can come."""
    bearer = {"authorization": f"Bearer {SECRETS['session']}"}
    async with httpx2.AsyncClient(base_url=url, timeout=20) as client:
        for token in (SECRETS["session"], SECRETS["guess"]):
            await client.post("/api/v1/session", json={"token": token})
            await client.post("/api/v1/session", json={"token": token, "x": token})
            await client.get(f"/?token={token}")
            await client.get(f"/api/v1/openapi.json?token={token}&access_token={token}", headers=bearer)
            await client.get("/api/v1/openapi.json", headers={"authorization": f"Bearer {token}"})
            await client.post("/mcp", json={}, headers=bearer)
            await use_socket(url, f"?token={token}", subprotocols=["scistudio.v1", f"scistudio.token.{token}"])
            await use_socket(url, f"?token={token}", additional_headers={"authorization": f"Bearer {token}"})


async def use_socket(url: str, query: str, **options: Any) -> None:
    with contextlib.suppress(InvalidStatus):
        async with connect(f"{url.replace('http', 'ws')}/api/v1/events{query}", proxy=None, **options):
            pass


@pytest.mark.parametrize("log_format", ["json", "console"])
async def test_no_token_reaches_a_log_at_any_level_and_a_signal_ends_the_process(log_format: str) -> None:
    async with process(SCISTUDIO_LOG_FORMAT=log_format) as (url, started, log):
        await until_it_answers(url, 503)
        await use_every_secret(url)
        started.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(started.wait(), 20) == 0
        text = log.read_text()
    assert "/api/v1/openapi.json" in text  # something was logged
    assert [name for name, secret in SECRETS.items() if secret in text] == []
    assert "Traceback" not in text


async def output_of(*arguments: str) -> str:
    """What a Python program prints."""
    started = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=subprocess.PIPE)
    async with asyncio.timeout(60):
        output, _ = await started.communicate()
    assert started.returncode == 0
    return output.decode()


async def test_a_process_without_traces_imports_nothing_that_makes_them() -> None:
    imported = await output_of("-c", "import sys, scistudio_gateway.service; print(*sys.modules)")
    assert not [name for name in imported.split() if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter"))]


async def test_a_request_and_the_calls_it_leads_to_are_one_trace() -> None:
    script = Path(__file__).with_name("traced_gateway.py")
    traced = json.loads((await output_of(str(script))).splitlines()[-1])
    spans = {span["name"]: span for span in traced["spans"]}
    request = spans["GET /api/v1/projects/{project}"]
    calls = [span for name, span in spans.items() if name.endswith("GetProject")]
    assert request["kind"] == "SpanKind.SERVER"
    assert {span["context"]["trace_id"] for span in calls} == {request["context"]["trace_id"]}
    assert request["context"]["trace_id"] == f"0x{traced['problem']['trace_id']}"
    assert "token" not in json.dumps(traced["spans"])

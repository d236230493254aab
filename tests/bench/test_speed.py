"""The figures of docs/performance.md. ``make bench`` prints them; nothing here asserts a time: machines are noisy."""

from __future__ import annotations

import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import Home, Up, running

PASSES = 3
FORK = """
import os, statistics, time
from scistudio.worker import preload
preload()
def once():
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return time.perf_counter() - started
print(statistics.median(once() for _ in range(100)) * 1000)
"""
WARM = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


def say(what: str, value: str) -> None:
    print(f"\n  {what:<74} {value}", end="", flush=True)


def milliseconds(values: list[float]) -> str:
    return f"{statistics.median(values) * 1000:8.1f} ms  ({min(values) * 1000:.1f} to {max(values) * 1000:.1f}, n = {len(values)})"


def spread_of_cpu() -> str:
    model = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?")
    return f"{os.cpu_count()} × {model}, {psutil.virtual_memory().total / 2**30:.0f} GiB, Python {platform.python_version()}"


def test_machine() -> None:
    say("machine", spread_of_cpu())
    say("load average when the benchmark began", f"{os.getloadavg()[0]:.2f}")


def test_cold_start_of_up(home: Home) -> None:
    project = home.project("speed")
    took = []
    for _ in range(PASSES):
        started = time.monotonic()
        with running(home, project):
            took.append(time.monotonic() - started)
    say("`up` from exec to health 200 with seven services and the project open", milliseconds(took))


def test_cold_headless_run(home: Home) -> None:
    project = home.project("speed")
    home.scistudio("run", project / "workflows" / "two-text.yaml")  # initialises the project
    first, whole, memory = [], [], []
    for _ in range(PASSES):
        started = time.monotonic()
        process = home.start("run", project / "workflows" / "two-text.yaml", "--json")
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "block.state" and event["state"] == "running" and len(first) < len(whole) + 1:
                first.append(time.monotonic() - started)
            if event["event"] == "run.ended":
                memory.append(psutil.Process(process.pid).memory_full_info().pss / 2**20)
        process.communicate(timeout=60)
        whole.append(time.monotonic() - started)
    say("`run` of two blocks, from exec to the first block's start shown", milliseconds(first))
    say("`run` of two blocks, from exec to exit", milliseconds(whole))
    say("process of a headless run, beside NATS and warm parent", f"{statistics.median(memory):8.0f} MiB PSS")


def ends(up: Up, workflow: str) -> list[float]:
    """Seconds from one block's end to the next's, along the chain."""
    with up.client() as http:
        run = http.post(f"{up.path}/runs", json={"workflow": workflow}).json()
        ended = up.wait_for(run["id"])
    assert ended["state"] == "completed"
    moments = [datetime.fromisoformat(node["ended_at"]).timestamp() for node in ended["nodes"]]
    return [later - earlier for earlier, later in itertools.pairwise(moments)]


def test_one_more_block_in_a_chain(home: Home) -> None:
    project = home.project("speed")
    with running(home, project) as up:
        ends(up, "two-text")
        for kind, what in (("text", "Text in, Text out"), ("table", "DataFrame, through Parquet"), ("array", "Array, through Zarr")):
            say(
                f"one more isolated block in a chain of 20: {what}",
                milliseconds([d for _ in range(PASSES) for d in ends(up, f"chain-{kind}")]),
            )
    answer = subprocess.run(
        [sys.executable, "-c", FORK], env={**os.environ, **WARM}, capture_output=True, text=True, check=True, timeout=60
    )
    say("floor: a bare fork of the same warm process", f"{float(answer.stdout):8.1f} ms")


def pss(pid: int) -> float:
    return float(psutil.Process(pid).memory_full_info().pss) / 2**20


def test_idle_memory(home: Home) -> None:
    project = home.project("speed")
    with running(home, project) as up:
        ends(up, "two-text")
        services = {name: pss(up.pid_of(name)) for name in ("gateway", "workflow", "scheduler", "runner", "lineage", "panels", "mcp")}
        others = {"worker host": pss(up.pid_of("worker")), "launcher": pss(up.process.pid), **_others(home)}
    say("seven services, idle after a run, summed PSS", f"{sum(services.values()):8.0f} MiB")
    for name, value in {**services, **others}.items():
        say(f"  {name}", f"{value:8.0f} MiB")


def _others(home: Home) -> dict[str, float]:
    found: dict[str, Any] = {}
    for process in home.processes():
        if process.name() == "nats-server":
            found["NATS"] = pss(process.pid)
        elif "scistudio_worker.warm_parent" in process.cmdline():
            found["warm parent"] = pss(process.pid)
    return found


@pytest.fixture(scope="module", autouse=True)
def _last_line() -> Any:
    yield
    print()

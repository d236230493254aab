"""A block that shall end ends with everything it has started, by whatever means the machine has."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="module")


N_AHEAD = 2  # the child that waits for the next block, and its reaper


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def daemons(marker: Path) -> list[int]:
    return [int(pid) for pid in marker.read_text().split()]


async def test_an_endless_loop_is_cancelled(bench_by_each: Any) -> None:
    bench_by_each.start("Loops")
    result = await bench_by_each.cancel_when("looping")
    assert result.outcome == pb.OUTCOME_CANCELLED
    assert not is_alive(bench_by_each.pids["x1"])


async def test_a_block_that_ignores_the_polite_word_is_killed(bench_by_each: Any) -> None:
    bench_by_each.start("IgnoresTermination", terminate_grace_s=0.2)
    result = await bench_by_each.cancel_when("ignoring")
    assert result.outcome == pb.OUTCOME_CANCELLED
    assert not is_alive(bench_by_each.pids["x1"])


async def test_daemonised_grandchildren_are_gone_when_a_cancel_is_reported(bench_by_each: Any, tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    bench_by_each.start("LeavesDaemons", config={"marker": str(marker), "wait": True}, terminate_grace_s=0.2)
    result = await bench_by_each.cancel_when("daemons run")
    assert result.outcome == pb.OUTCOME_CANCELLED
    assert [is_alive(pid) for pid in daemons(marker)] == [False, False]


async def test_daemonised_grandchildren_end_with_a_block_that_is_done(bench_by_each: Any, tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    result = await bench_by_each.run("LeavesDaemons", config={"marker": str(marker)})
    assert result.outcome == pb.OUTCOME_DONE
    assert [is_alive(pid) for pid in daemons(marker)] == [False, False]


async def test_many_forks_are_ended_as_one(bench_by_each: Any) -> None:
    bench_by_each.start("ForksInDeep", terminate_grace_s=0.1)
    await eventually(lambda: bench_by_each.texts)
    bench_by_each.host.cancel("x1", "test")
    assert (await bench_by_each.result()).outcome == pb.OUTCOME_CANCELLED
    left = psutil.Process(bench_by_each.forker.pid).children(recursive=True)
    assert len(left) <= N_AHEAD, left


async def test_a_cancel_before_the_first_instruction_is_a_cancel(bench: Any) -> None:
    bench.start("Loops")
    bench.host.cancel("x1", "test")
    assert (await bench.result()).outcome == pb.OUTCOME_CANCELLED


async def test_the_memory_limit_is_named(bench_by_each: Any) -> None:
    result = await bench_by_each.run("EatsMemory", memory_gb=0.25)
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.memory_limit")
    assert "0.25 GB" in result.error.message
    assert "memory_gb" in result.error.hint


async def test_the_time_limit_is_named(bench: Any) -> None:
    result = await bench.run("Loops", wall_time_s=0.2)
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.time_limit")


async def test_the_cpu_limit_is_named(bench_by_each: Any) -> None:
    result = await bench_by_each.run("Loops", cpu_time_s=1)
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.cpu_limit")
    assert result.cpu_time_s < 10


async def test_blocks_end_with_a_killed_warm_parent_and_the_next_one_gets_a_new_one(own_bench: Any) -> None:
    own_bench.start("IgnoresTermination")
    await eventually(lambda: "ignoring" in own_bench.texts)
    os.kill(own_bench.forker.pid, signal.SIGKILL)
    result = await own_bench.result()
    assert (result.outcome, result.error.code) == (pb.OUTCOME_LOST, "worker.parent_lost")
    await eventually(lambda: not is_alive(own_bench.pids["x1"]))
    assert (await own_bench.run("Trivial", id="x2")).outcome == pb.OUTCOME_DONE


async def test_stopping_the_host_ends_its_blocks(own_bench: Any, tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    own_bench.start("LeavesDaemons", config={"marker": str(marker), "wait": True})
    await eventually(lambda: "daemons run" in own_bench.texts)
    await own_bench.host.stop()
    assert [is_alive(pid) for pid in [*daemons(marker), own_bench.pids["x1"]]] == [False] * 3


@pytest.mark.parametrize("method", ["", "spawn"])
async def test_a_child_has_a_clean_place(bench: Any, method: str) -> None:
    await bench.run("Environment", method=method)
    said = "\n".join(bench.texts)
    assert "secret-token" not in said
    assert f"SCISTUDIO_PROJECT_DIR={bench.project}" in said
    assert f"cwd {bench.project} session True" in said
    assert "fds [0, 1, 2, 3]" in said
    assert "oom 500" in said
    assert "sigterm blocked False" in said


def doomed_host(project: Path, marker: Path) -> subprocess.Popen[bytes]:
    project.mkdir()
    script = Path(__file__).with_name("doomed_host.py")
    return subprocess.Popen([sys.executable, str(script), str(project), json.dumps({"marker": str(marker), "wait": True})])


async def test_what_a_killed_host_leaves_is_ended_without_it(tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    host = doomed_host(tmp_path / "project", marker)
    await eventually(lambda: marker.exists() and len(daemons(marker)) == 2, timeout_s=30)
    host.kill()
    host.wait()
    await eventually(lambda: not any(is_alive(pid) for pid in daemons(marker)))


async def test_executions_run_side_by_side(bench: Any) -> None:
    began = time.monotonic()
    for index in range(8):
        bench.start("IgnoresTermination", id=f"x{index}", wall_time_s=0.3, terminate_grace_s=0.1)
    outcomes = [(await bench.result(f"x{index}")).error.code for index in range(8)]
    assert outcomes == ["worker.time_limit"] * 8
    assert time.monotonic() - began < 8 * 0.4


def n_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_nothing_is_left_open(bench_by_each: Any) -> None:
    blocks = ["Trivial", "Fails", "ExitsQuietly", "Prints", "Loops", "Crashes"]
    await bench_by_each.run("Trivial", id="first")
    before = n_open()
    for index, block in enumerate(blocks * 3):
        bench_by_each.start(block, id=f"x{index}", terminate_grace_s=0.1, memory_gb=0.5 * (index % 2))
        if index % 3 == 1:
            bench_by_each.host.cancel(f"x{index}", "test")
    for index in [index for index, block in enumerate(blocks * 3) if block == "Loops"]:
        bench_by_each.host.cancel(f"x{index}", "test")
    for index in range(len(blocks) * 3):
        await bench_by_each.result(f"x{index}")
    assert n_open() <= before
    assert len(psutil.Process(bench_by_each.forker.pid).children(recursive=True)) <= N_AHEAD

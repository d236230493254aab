"""Whatever is killed, an execution ends once, with the truth."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.errors import RemoteError
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb

START_S = 30.0  # three processes start, on a machine that may be busy


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def result_across_restarts(client: Any, spec: pb.Execution) -> pb.Result:
    """Ask again whenever the stream breaks, as the scheduler does."""
    while True:
        try:
            result: pb.Result = await client.result(spec)
            return result
        except RemoteError:
            await asyncio.sleep(0.05)


async def one_host(client: Any) -> bool:
    try:
        return len(await client.hosts()) == 1
    except RemoteError:
        return False


async def test_an_execution_survives_the_kill_of_the_runner(processes: Any, client: Any) -> None:
    runner, _ = processes.start("scistudio_runner"), processes.start("scistudio_worker")
    spec = client.execution("Waits", client.waiting(prints=True))
    result = asyncio.ensure_future(result_across_restarts(client, spec))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    processes.start("scistudio_runner")
    await eventually(lambda: one_host(client), timeout_s=START_S)
    client.go()
    assert (await result).outcome == pb.OUTCOME_DONE
    assert client.n_began == 1
    numbers = [line.text for line in (await client.logs(limit=10_000)).lines if line.text.startswith("line ")]
    assert numbers == [f"line {number}" for number in range(1, len(numbers) + 1)]
    await client.acknowledge(spec.execution_id)


async def test_a_result_made_while_the_runner_was_dead_is_delivered(processes: Any, client: Any) -> None:
    runner, _ = processes.start("scistudio_runner"), processes.start("scistudio_worker")
    spec = client.execution("Waits", client.waiting())
    result = asyncio.ensure_future(result_across_restarts(client, spec))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    pid = int((client.project / "began").read_text())
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    client.go()
    await eventually(lambda: not alive(pid))
    processes.start("scistudio_runner")
    assert (await result).outcome == pb.OUTCOME_DONE
    assert client.n_began == 1
    await eventually(lambda: last_line_is(client, "went on"))


async def last_line_is(client: Any, text: str) -> bool:
    return [line.text for line in (await client.logs()).lines][-1:] == [text]


async def test_a_cancel_reaches_an_execution_of_an_earlier_runner(processes: Any, client: Any) -> None:
    runner, _ = processes.start("scistudio_runner"), processes.start("scistudio_worker")
    spec = client.execution("Waits", client.waiting())
    result = asyncio.ensure_future(result_across_restarts(client, spec))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    processes.start("scistudio_runner")
    assert await client.cancel(spec.execution_id)
    assert (await result).outcome == pb.OUTCOME_CANCELLED


async def test_a_killed_host_loses_its_executions_and_leaves_no_process(processes: Any, client: Any) -> None:
    processes.start("scistudio_runner")
    host = processes.start("scistudio_worker")
    result = asyncio.ensure_future(result_across_restarts(client, client.execution("Waits", client.waiting())))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    pid = int((client.project / "began").read_text())
    host.send_signal(signal.SIGKILL)
    lost = await result
    assert (lost.outcome, lost.error.code) == (pb.OUTCOME_LOST, "worker.host_lost")
    await eventually(lambda: not alive(pid))


async def test_a_stopped_host_ends_its_blocks_and_leaves_with_success(processes: Any, client: Any) -> None:
    processes.start("scistudio_runner")
    host = processes.start("scistudio_worker")
    result = asyncio.ensure_future(result_across_restarts(client, client.execution("Waits", client.waiting())))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    pid = int((client.project / "began").read_text())
    host.terminate()
    assert await asyncio.to_thread(host.wait, 15) == 0
    assert not alive(pid)
    assert (await result).outcome == pb.OUTCOME_LOST


async def test_a_host_that_hangs_is_found_out(processes: Any, client: Any) -> None:
    processes.start("scistudio_runner")
    host = processes.start("scistudio_worker")
    result = asyncio.ensure_future(result_across_restarts(client, client.execution("Waits", client.waiting())))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    host.send_signal(signal.SIGSTOP)
    try:
        assert (await result).outcome == pb.OUTCOME_LOST
    finally:
        host.send_signal(signal.SIGCONT)
    pid = int((client.project / "began").read_text())
    await eventually(lambda: not alive(pid))  # it comes back, and is told that this was given up


async def test_a_runner_that_stops_leaves_executions_to_the_next(processes: Any, client: Any) -> None:
    runner, _ = processes.start("scistudio_runner"), processes.start("scistudio_worker")
    await eventually(lambda: one_host(client), timeout_s=START_S)
    spec = client.execution("Waits", client.waiting())
    first = asyncio.ensure_future(client.result(spec))
    await eventually(lambda: client.n_began == 1, timeout_s=START_S)
    runner.terminate()
    with pytest.raises(RemoteError) as caught:
        await first
    assert caught.value.code == "runner.stopping"
    assert await asyncio.to_thread(runner.wait, 10) == 0
    processes.start("scistudio_runner")
    second = asyncio.ensure_future(result_across_restarts(client, spec))
    client.go()
    assert (await second).outcome == pb.OUTCOME_DONE
    assert client.n_began == 1

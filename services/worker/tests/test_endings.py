"""However a block ends, its execution ends with the truth about it, and the next one runs."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_block_that_returns_is_done(bench: Any) -> None:
    result = await bench.run("Trivial")
    assert (result.outcome, result.exit_code, result.error.code) == (pb.OUTCOME_DONE, 0, "")
    assert result.host_id == bench.host.id
    assert result.peak_memory_bytes > 0
    assert "python" in result.environment_json


async def test_an_error_carries_its_message_and_its_traceback(bench: Any) -> None:
    result = await bench.run("Fails")
    assert result.outcome == pb.OUTCOME_ERROR
    assert "the sample is empty" in result.error.message
    assert result.error.subject == "node/n1"
    assert "in run" in result.traceback


async def test_os_exit_is_told_from_success(bench: Any) -> None:
    result = await bench.run("ExitsQuietly")
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.exited")
    assert "status 0" in result.error.message
    assert "os._exit" in result.error.hint


async def test_a_block_that_closes_the_line_to_its_host_is_told_so(bench: Any) -> None:
    result = await bench.run("ClosesAll")
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.cut_off")
    assert "close only your own" in result.error.hint


async def test_sys_exit_is_an_error_of_the_block(bench: Any) -> None:
    result = await bench.run("Quits")
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "block.exited")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGUSR1])
async def test_a_signal_is_named(bench: Any, number: signal.Signals) -> None:
    result = await bench.run("Signalled", config={"signal": int(number)})
    assert (result.outcome, result.error.code, result.exit_code) == (pb.OUTCOME_ERROR, "worker.killed", 128 + number)
    assert number.name in result.error.message


async def test_a_crash_in_native_code_ends_that_block_only(bench: Any) -> None:
    crashed = await bench.run("Crashes")
    assert (crashed.error.code, crashed.exit_code) == ("worker.killed", 139)
    assert "SIGSEGV" in crashed.error.message
    assert any("Fatal Python error" in text for text in bench.texts)
    assert (await bench.run("Trivial", id="x2")).outcome == pb.OUTCOME_DONE


async def test_a_fresh_interpreter_gives_the_same_result(bench: Any) -> None:
    assert (await bench.run("Trivial", method="spawn")).outcome == pb.OUTCOME_DONE
    assert (await bench.run("ExitsQuietly", id="x2", method="spawn")).error.code == "worker.exited"


async def test_a_missing_class_is_said(bench: Any) -> None:
    result = await bench.run("NotThere")
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "block.not_found")


async def test_an_unreadable_request_is_an_error_and_not_silence(bench: Any) -> None:
    bench.host.execute(pb.Execution(execution_id="x1", node_id="n1", project_dir=str(bench.project), config_json="{"))
    result = await bench.result()
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.internal")


async def test_a_project_that_is_gone_is_named(bench: Any) -> None:
    bench.host.execute(pb.Execution(execution_id="x1", node_id="n1", project_dir="/nonexistent/project"))
    result = await bench.result()
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.project_missing")
    assert "/nonexistent/project" in result.error.message


async def test_an_answer_counts_although_the_process_lingers(bench: Any) -> None:
    assert (await bench.run("Lingers")).outcome == pb.OUTCOME_DONE


async def test_garbage_on_the_socket_ends_the_block(bench: Any) -> None:
    result = await bench.run("CorruptsTheSocket")
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.protocol")


async def test_a_result_is_kept_until_it_is_acknowledged(bench: Any) -> None:
    await bench.run("Trivial")
    assert [result.execution_id for result in bench.host.hello().finished] == ["x1"]
    bench.results.clear()
    bench.start("Trivial")
    assert (await bench.result()).outcome == pb.OUTCOME_DONE
    bench.host.acknowledge("x1")
    assert not bench.host.hello().finished


async def test_a_probe_lists_blocks(bench: Any) -> None:
    bench.host.probe("p1", str(bench.project))
    answer = await eventually(lambda: bench.catalogs.get("p1"))
    assert '"load_data"' in answer.catalog_json


async def test_the_warm_parent_stays_alone(bench: Any) -> None:
    for index in range(3):
        await bench.run("Trivial", id=f"x{index}")
    assert len(list(Path(f"/proc/{bench.forker.pid}/task").iterdir())) == 1


async def test_an_answer_that_no_service_can_take_is_an_error(bench: Any) -> None:
    result = await bench.run("Answers", config={"size_bytes": 60_000_000})
    assert (result.outcome, result.error.code) == (pb.OUTCOME_ERROR, "worker.answer_too_large")


@pytest.mark.parametrize(("line", "reason"), [("import os; os._exit(3)", "status 3"), ("import os; os.kill(os.getpid(), 9)", "signal 9")])
async def test_a_file_that_ends_the_process_that_reads_it_is_named(bench: Any, tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "blocks").mkdir()
    (tmp_path / "blocks" / "innocent.py").touch()
    (tmp_path / "blocks" / "last_words.py").write_text(line)
    bench.host.probe("p1", str(tmp_path))
    answer = await eventually(lambda: bench.catalogs.get("p1"))
    assert reason in answer.error.message
    assert "while reading" in answer.error.message
    assert "last_words.py" in answer.error.message

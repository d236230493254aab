"""A worker environment that does not work says so in seconds; one that changes is started anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_worker import environment
from scistudio_worker.errors import StartFailed
from scistudio_worker.forker import Forker


def script(folder: Path, text: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [("echo no module named scistudio >&2; exit 1", "no module named scistudio"), ("kill -9 $$", "ended while it started")],
)
async def test_the_last_words_of_a_broken_interpreter_are_handed_on(tmp_path: Path, text: str, said: str) -> None:
    forker = Forker({"PATH": os.environ["PATH"]}, python=script(tmp_path, text))
    for _ in range(2):  # asked again, it is tried again
        with pytest.raises(StartFailed) as caught:
            await forker.ready()
        assert said in caught.value.message


async def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartFailed) as caught:
        await Forker({}, python="/nonexistent/python").ready()
    assert "/nonexistent/python" in caught.value.message


async def test_the_warm_parent_is_renewed_when_packages_come_or_go(tmp_path: Path) -> None:
    added = tmp_path / "site-packages"
    added.mkdir()
    forker = Forker(environment.for_blocks(os.environ), python=sys.executable)
    await forker.ready()
    first = forker.pid
    await forker.ready()
    assert forker.pid == first
    forker.watch([str(added)])
    (added / "new_package").mkdir()
    await forker.ready()
    assert forker.pid != first
    await forker.stop()


def test_block_processes_see_no_secret() -> None:
    given = {"PATH": "/bin", "SCISTUDIO_TOKEN": "x", "SCISTUDIO_DATABASE_URL": "x", "MY_SECRET": "x", "LC_ALL": "C.UTF-8", "MINE": "y"}
    seen = environment.for_blocks(given, also=["MINE"])
    assert "x" not in seen.values()
    assert seen.items() >= {"PATH": "/bin", "LC_ALL": "C.UTF-8", "MINE": "y", "OMP_NUM_THREADS": "1"}.items()


@pytest.mark.asyncio(loop_scope="module")
async def test_the_next_block_takes_the_child_that_was_forked_ahead(own_bench: Any) -> None:
    await own_bench.forker.ready()
    waiting = await eventually(lambda: psutil.Process(own_bench.forker.pid).children())
    await own_bench.run("Trivial")
    assert own_bench.pids["x1"] == waiting[0].pid


@pytest.mark.asyncio(loop_scope="module")
async def test_a_child_that_died_while_it_waited_is_replaced(own_bench: Any) -> None:
    await own_bench.forker.ready()
    parent = psutil.Process(own_bench.forker.pid)
    waiting = (await eventually(parent.children))[0]
    waiting.kill()
    await eventually(lambda: not waiting.is_running())
    assert (await own_bench.run("Trivial")).outcome == pb.OUTCOME_DONE

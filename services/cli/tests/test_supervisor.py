"""The launcher's supervisor, in processes of its own: pytest never forks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
import json, os, sys, time, signal
from pathlib import Path
from scistudio_cli.launcher.supervisor import Supervisor

folder = Path(sys.argv[1])
say = lambda **fields: print(json.dumps(fields), flush=True)
supervisor = Supervisor(lambda text: say(report=text))

def child():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    descriptors = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    (folder / f"child-{os.getpid()}").write_text(json.dumps({"sid": os.getsid(0), "fds": descriptors}))
    print("a line of the child")
    while True:
        import select
        if select.select([supervisor.lifeline], [], [], 1)[0]:
            return 0

def stubborn():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (folder / "stubborn").write_text(str(os.getpid()))
    while True:
        time.sleep(1)

supervisor.start("child", child, folder / "child.log")
if "stubborn" in sys.argv:
    supervisor.start("stubborn", stubborn, folder / "stubborn.log")
say(pid=supervisor.pid_of("child"))
while supervisor.signalled is None:
    supervisor.wait(1)
supervisor.stop(["stubborn", "child"], grace_s=0.5)
supervisor.close()
say(stopped=True)
"""


def alive(pid: int) -> bool:
    """Zombies are not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition: Callable[[], Any], limit_s: float = 10.0) -> Any:
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return value


@contextmanager
def supervised(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def said(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def test_a_child_that_dies_is_reported_and_started_again(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        first = said(process)["pid"]
        until((tmp_path / f"child-{first}").exists)
        os.kill(first, signal.SIGKILL)
        assert said(process)["report"] == "child died (killed by SIGKILL); it is restarted."
        until(lambda: len(list(tmp_path.glob("child-*"))) == 2)


def test_a_child_has_its_own_session_and_none_of_the_launchers_descriptors(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        pid = said(process)["pid"]
        note = until(lambda: (tmp_path / f"child-{pid}").exists() and json.loads((tmp_path / f"child-{pid}").read_text() or "0"))
    assert note["sid"] == pid
    assert len(note["fds"]) == 5  # standard three, the lifeline's read end, and the listing itself


def test_a_signal_ends_all_children_even_a_stubborn_one(tmp_path: Path) -> None:
    with supervised(tmp_path, "stubborn") as process:
        pid = said(process)["pid"]
        until((tmp_path / f"child-{pid}").exists)
        stubborn = int(until(lambda: (tmp_path / "stubborn").exists() and (tmp_path / "stubborn").read_text()))
        process.send_signal(signal.SIGTERM)
        assert said(process) == {"stopped": True}
        assert process.wait(10) == 0
        assert not alive(pid)
        assert not alive(stubborn)


def test_children_end_when_the_launcher_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        pid = said(process)["pid"]
        until((tmp_path / f"child-{pid}").exists)
        process.kill()
        until(lambda: not alive(pid))


def test_what_a_child_prints_is_in_its_log(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        said(process)
        until(lambda: "a line of the child" in (tmp_path / "child.log").read_text() if (tmp_path / "child.log").exists() else False)


@pytest.mark.parametrize("what", ["import threading; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "import numpy"])
def test_a_launcher_that_a_fork_would_break_refuses_to_fork(tmp_path: Path, what: str) -> None:
    script = SCRIPT.replace("folder = Path", f"{what}\nfolder = Path", 1)
    answer = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=20, check=False)
    assert answer.returncode != 0
    assert "The launcher must have one thread" in answer.stderr

"""Blocks that end, hang, flood or crash in each way that is to be survived."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

from scistudio.blocks.base import Block, progress


class Trivial(Block):
    def run(self, inputs, config):
        return {}


class Fails(Block):
    def run(self, inputs, config):
        raise ValueError("the sample is empty")


class Prints(Block):
    def run(self, inputs, config):
        print("first")
        print("\x1b[31mred\x1b[0m and \x00")
        os.write(1, b"\xff\xfe raw\n")
        os.write(2, b"ERROR something odd\n")
        os.write(1, b"10 %\r50 %\r100 %\n")
        os.write(1, b"without a newline")
        return {}


class Environment(Block):
    def run(self, inputs, config):
        print(" ".join(f"{name}={value}" for name, value in os.environ.items()))
        print("fds", sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir())[:-1])
        print("cwd", Path.cwd(), "session", os.getsid(0) == os.getpid())
        print("oom", Path("/proc/self/oom_score_adj").read_text().strip())
        print("sigterm blocked", signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, []))
        return {}


class ExitsQuietly(Block):
    def run(self, inputs, config):
        os._exit(0)


class ClosesAll(Block):
    def run(self, inputs, config):
        os.closerange(0, 64)


class Quits(Block):
    def run(self, inputs, config):
        sys.exit(3)


class Signalled(Block):
    def run(self, inputs, config):
        os.kill(os.getpid(), config.get("signal"))


class Crashes(Block):
    def run(self, inputs, config):
        ctypes.string_at(0)


class Loops(Block):
    def run(self, inputs, config):
        print("looping")
        while True:
            pass


class IgnoresTermination(Block):
    def run(self, inputs, config):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("ignoring")
        time.sleep(600)


def _daemonise(marker: Path) -> None:
    """Leave the session and the parent, twice, and note the pid."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with marker.open("a") as file:
                file.write(f"{os.getpid()}\n")
            time.sleep(600)
        os._exit(0)


class LeavesDaemons(Block):
    def run(self, inputs, config):
        marker = Path(config.get("marker"))
        for _ in range(2):
            _daemonise(marker)
        while not marker.exists() or len(marker.read_text().split()) < 2:
            time.sleep(0.005)
        print("daemons run")
        if config.get("wait"):
            time.sleep(600)
        return {}


class Floods(Block):
    def run(self, inputs, config):
        for _ in range(config.get("lines")):
            print("x" * 1000)
        print("the end")
        return {}


class FloodsForever(Block):
    def run(self, inputs, config):
        while True:
            print("x" * 1000)


class Reports(Block):
    def run(self, inputs, config):
        for index in range(20_000):
            progress(index / 20_000, f"step {index}")
        return {}


class EatsMemory(Block):
    def run(self, inputs, config):
        held = []
        while True:
            held.append(bytearray(b"x") * (8 << 20))


class ForksInDeep(Block):
    """Forks without end, as a fork bomb does, within reason."""

    def run(self, inputs, config):
        print("forking")
        for _ in range(60):
            if os.fork() == 0:
                os.setsid()
                time.sleep(600)
        time.sleep(600)


class Lingers(Block):
    """Leaves a thread that would keep an ordinary interpreter from ending."""

    def run(self, inputs, config):
        threading.Thread(target=time.sleep, args=(600,)).start()
        return {}


class CorruptsTheSocket(Block):
    def run(self, inputs, config):
        os.write(3, b"\xff" * 64)
        time.sleep(600)


class Answers(Block):
    def run(self, inputs, config):
        return {"note": "x" * config.get("size_bytes")}

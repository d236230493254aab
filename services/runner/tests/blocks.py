"""Blocks for tests of the runner."""

from __future__ import annotations

import os
import time
from pathlib import Path

from scistudio.blocks.base import Block, progress


class Trivial(Block):
    def run(self, inputs, config):
        return {}


class Fails(Block):
    def run(self, inputs, config):
        raise ValueError("the sample is empty")


class Waits(Block):
    """Notes that it has begun, and works until the test says go."""

    def run(self, inputs, config):
        with Path(config.get("began")).open("a") as file:
            file.write(f"{os.getpid()}\n")
        print("began", flush=True)
        progress(0.5, "half way")
        n_lines = 0
        while not Path(config.get("go")).exists():
            if config.get("prints"):
                n_lines += 1
                print(f"line {n_lines}")
            time.sleep(0.005)
        print("went on")
        return {}


class Counts(Block):
    def run(self, inputs, config):
        for number in range(config.get("lines")):
            print(f"number {number}")
        return {}

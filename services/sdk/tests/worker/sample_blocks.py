# ruff: noqa: RUF012 - written as block authors write
"""Blocks that the worker's tests run."""

from __future__ import annotations

import os
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort, cancelled, progress, random_generator, scratch_dir
from scistudio.blocks.process import ProcessBlock
from scistudio.core.types import Array, Artifact, DataFrame, Text


class Upper(ProcessBlock):
    name = "Upper"
    input_ports = [InputPort(name="text", accepted_types=[Text])]
    output_ports = [OutputPort(name="text", accepted_types=[Text])]

    def process_item(self, item: Any, config: BlockConfig) -> Text:
        return Text(content=item.content.upper())


class TextSource(Block):
    """Base: no input, one Text."""

    output_ports = [OutputPort(name="out", accepted_types=[Text])]
    config_schema = {"type": "object", "properties": {"value": {"type": "string", "default": "filled in"}}}

    def make(self, config: BlockConfig) -> Any:
        return str(config.get("value"))

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return {"out": Text(content=str(self.make(config)))}


class Where(TextSource):
    def make(self, config: BlockConfig) -> Any:
        known = [config.get(key) for key in ("block_id", "workflow_id", "run_id", "project_dir")]
        return [str(Path.cwd()), os.environ["SCISTUDIO_PROJECT_DIR"], os.environ["OMP_NUM_THREADS"], *known, sys.stdin.read()]


class Draws(TextSource):
    def make(self, config: BlockConfig) -> Any:
        return [random.random(), float(np.random.random()), float(random_generator().random())]


class Loaded(TextSource):
    def make(self, config: BlockConfig) -> Any:
        return sorted(sys.modules)


class Prints(TextSource):
    def make(self, config: BlockConfig) -> Any:
        import ctypes
        import logging

        print("from python")
        os.write(2, b"from the descriptor\n")
        ctypes.CDLL(None).puts(b"from C")
        logging.getLogger("sample").info("from logging")
        warnings.warn("look here", UserWarning, stacklevel=1)
        return ""


class Mute(Exception):
    """An error of an author who made a mistake in it."""

    def __str__(self) -> str:
        raise KeyError("missing")


class Raises(Block):
    input_ports = [InputPort(name="text", accepted_types=[Text], required=False)]
    output_ports = [OutputPort(name="out", accepted_types=[Text])]
    config_schema = {"type": "object", "properties": {"how": {"type": "string"}}, "required": ["how"]}

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        match config.get("how"):
            case "value":
                raise ValueError("sigma must be positive")
            case "mute":
                raise Mute
            case "exit":
                sys.exit(0)
            case "memory":
                raise MemoryError
            case "full":
                raise OSError(28, "No space left on device")
            case "list":
                return [1]  # type: ignore[return-value]
            case "nothing":
                return {}
            case "type":
                return {"out": Array(axes=["x"], data=np.zeros(3))}
            case "number":
                return {"out": 3}
            case "empty":
                return {"out": []}
            case "unstorable":
                return {"out": Text(content="a"), "more": DataFrame(data=[1])}
            case "hollow":
                return {"out": Text()}
            case "nowhere":
                return {"out": [Text(content="a")], "extra": {"pixel": float("nan")}}
        raise AssertionError


class Polls(TextSource):
    def make(self, config: BlockConfig) -> Any:
        progress(0.1, "running")
        deadline = time.monotonic() + 20
        while not cancelled() and time.monotonic() < deadline:
            pass
        return "stopped"


class Tidies(TextSource):
    """Ends itself by the signal that a host sends, and tidies up."""

    def make(self, config: BlockConfig) -> Any:
        import signal

        try:
            os.kill(os.getpid(), signal.SIGTERM)
            while True:
                pass
        finally:
            print("tidied")


class Scratch(Block):
    output_ports = [OutputPort(name="out", accepted_types=[Artifact])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        (scratch_dir() / "left behind.txt").write_text("x")
        kept = scratch_dir() / "report.pdf"
        kept.write_bytes(b"%PDF")
        return {"out": Artifact(file_path=kept)}


class Table(Block):
    output_ports = [OutputPort(name="out", accepted_types=[DataFrame])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return {"out": DataFrame(data={"a": [1, 2, 3]})}


class Image(Block):
    output_ports = [OutputPort(name="out", accepted_types=[Array])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return {"out": Array(axes=["y", "x"], data=np.ones((64, 64)))}


class Sizes(Block):
    input_ports = [InputPort(name="table", accepted_types=[DataFrame])]
    output_ports = [OutputPort(name="out", accepted_types=[Text])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return {"out": Text(content=str(inputs["table"][0].to_memory().num_rows))}


def doubled(image: Array) -> Array:
    return Array(axes=["y", "x"], data=2 * image.to_numpy())


class Parallel(Block):
    """Uses Zarr before, in and after its pool of processes."""

    output_ports = [OutputPort(name="out", accepted_types=[Array])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        images = self.pack([Array(axes=["y", "x"], data=np.full((64, 64), n)) for n in range(4)])
        assert images[1].to_numpy().sum() == 64 * 64
        return {"out": self.parallel_map(doubled, images, max_workers=2)}


class Reads(Block):
    input_ports = [InputPort(name="file", accepted_types=[Artifact])]
    output_ports = [OutputPort(name="out", accepted_types=[Text])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return {"out": Text(content=str(len(inputs["file"][0].to_memory())))}


class Gives(ProcessBlock):
    """Returns what no workflow can carry."""

    name = "Gives"
    input_ports = [InputPort(name="table", accepted_types=[DataFrame])]
    output_ports = [OutputPort(name="out", accepted_types=[DataFrame])]

    def process_item(self, item: Any, config: BlockConfig) -> Any:
        return {"table": item.to_memory, "none": lambda: None, "raises": lambda: item.to_memory().no_such}[config.get("gives")]()

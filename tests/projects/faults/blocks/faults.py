"""Blocks that make text, wait, and fail in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

from scistudio.blocks.base import Block, BlockConfig, InputPort, OutputPort, progress
from scistudio.core.types import Collection, Text


def text(content: str) -> Collection:
    return Block.pack([Text(content=content)])


class Say(Block):
    """Make a text."""

    name = "Say"
    type_name = "say"
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="text", accepted_types=[Text])]
    config_schema: ClassVar[dict[str, Any]] = {"type": "object", "properties": {"text": {"type": "string", "default": "hello"}}}

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        print(f"saying {config.get('text', 'hello')}")
        return {"text": text(config.get("text", "hello"))}


class TextBlock(Block):
    """One text in, one text out."""

    input_ports: ClassVar[list[InputPort]] = [InputPort(name="text", accepted_types=[Text])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="text", accepted_types=[Text])]

    def change(self, content: str, config: BlockConfig) -> str:
        return content

    def run(self, inputs: dict[str, Collection], config: BlockConfig) -> dict[str, Collection]:
        return {"text": text(self.change(self.unpack_single(inputs["text"]).to_memory(), config))}


class Louder(TextBlock):
    """Append a mark."""

    name = "Louder"
    type_name = "louder"

    def change(self, content: str, config: BlockConfig) -> str:
        return f"{content}!"


class Wait(TextBlock):
    """Wait until a file appears in the project, or for some seconds, with progress."""

    name = "Wait"
    type_name = "wait"
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"seconds": {"type": "number", "default": 60}, "file": {"type": "string", "default": ""}},
    }

    def change(self, content: str, config: BlockConfig) -> str:
        marks = Path(os.environ["SCISTUDIO_PROJECT_DIR"]) / "marks"
        marks.mkdir(exist_ok=True)
        with (marks / "started").open("a") as file:
            file.write(f"{os.getpid()}\n")
        until, name = time.monotonic() + config.get("seconds", 60), config.get("file", "")
        while time.monotonic() < until and not (name and (marks / name).exists()):
            progress(0.5, "waiting")
            time.sleep(0.02)
        return f"{content} waited"


class Raises(TextBlock):
    """Raise an error."""

    name = "Raises"
    type_name = "raises"

    def change(self, content: str, config: BlockConfig) -> str:
        raise ValueError("the lamp is off")


class Exits(TextBlock):
    """Leave without an answer."""

    name = "Exits"
    type_name = "exits"
    config_schema: ClassVar[dict[str, Any]] = {"type": "object", "properties": {"status": {"type": "integer", "default": 0}}}

    def change(self, content: str, config: BlockConfig) -> str:
        os._exit(config.get("status", 0))


class KillsItself(TextBlock):
    """End by a signal, as the memory killer would do it."""

    name = "Kills itself"
    type_name = "kills_itself"

    def change(self, content: str, config: BlockConfig) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return content


class Clings(TextBlock):
    """Ignore SIGTERM, with a grandchild that has left the session."""

    name = "Clings"
    type_name = "clings"

    def change(self, content: str, config: BlockConfig) -> str:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        code = "import os, time; os.setsid(); time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        marks = Path(os.environ["SCISTUDIO_PROJECT_DIR"]) / "marks"
        marks.mkdir(exist_ok=True)
        (marks / "clinging").write_text(f"{os.getpid()} {child.pid}")
        while True:
            time.sleep(1)


class Floods(TextBlock):
    """Print without end."""

    name = "Floods"
    type_name = "floods"

    def change(self, content: str, config: BlockConfig) -> str:
        while True:
            print("x" * 1000)

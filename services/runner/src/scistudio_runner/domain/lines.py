"""A log line and its form in a file: one JSON object a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

import orjson
from scistudio_platform.clock import to_timestamp
from scistudio_proto.runner.v1 import runner_pb2 as pb

CUT_MARK = b'"cut":true'
_NUMBER = re.compile(rb'\{"line":(\d+),')


@dataclass(frozen=True, slots=True)
class Written:
    """A line as it stands in a file: what readers get, and where it came from.

    Attributes
    ----------
    execution_id, serial : str, int
        The execution that printed it and its number there, by which lines that come twice are known.
    """

    line: pb.LogLine
    execution_id: str
    serial: int


def encode(line: pb.LogLine, number: int, execution_id: str) -> bytes:
    """Return the line as it is stored under ``number``."""
    stored = {
        "line": number,
        "time": line.time.ToDatetime().isoformat(timespec="microseconds") + "Z",
        "node_id": line.node_id,
        "stream": line.stream,
        "level": line.level,
        "text": line.text,
        "execution": execution_id,
        "serial": line.line,
    }
    if line.stream == "system" and " were cut here" in line.text:
        stored["cut"] = True
    return orjson.dumps(stored) + b"\n"


def decode(raw: bytes) -> Written:
    """Return the line that ``encode`` stored. Raises ValueError for anything else."""
    stored = orjson.loads(raw)
    try:
        line = pb.LogLine(
            line=stored["line"],
            time=to_timestamp(datetime.fromisoformat(stored["time"])),
            node_id=stored["node_id"],
            stream=stored["stream"],
            level=stored["level"],
            text=stored["text"],
        )
        return Written(line, stored["execution"], stored["serial"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a log line: {error}") from error


def number_of(raw: bytes) -> int:
    """Return a stored line's number without reading the rest; 0 for what is no line."""
    found = _NUMBER.match(raw)
    return int(found[1]) if found is not None and raw.endswith(b"}\n") else 0

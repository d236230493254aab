"""What a block prints, as lines: bounded in length and amount, safe to store and show, with the last lines of a flood kept."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable

from scistudio_platform.clock import to_timestamp, utc_now
from scistudio_proto.runner.v1 import runner_pb2 as pb

MAX_LINE_BYTES = 16 * 1024
TAIL_BYTES = 64 * 1024
RECENT_BYTES = 1024 * 1024
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|\b\w*(Warning): |^(Traceback) \(")


class Lines:
    """Cuts one stream into lines. A carriage return starts a line over, as on a terminal: of a progress bar its last state stays."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that ``data`` completes; over-long ones come in pieces."""
        *complete, rest = (self._rest + data).split(b"\n")
        if len(rest) > MAX_LINE_BYTES:
            rest = _last_state(rest)
        if len(rest) > MAX_LINE_BYTES:
            complete.append(rest)
            rest = b""
        self._rest = rest
        return [text for line in complete for text in _texts(line)]

    def finish(self) -> list[str]:
        """Return what is left without a newline."""
        rest, self._rest = self._rest, b""
        return list(_texts(rest)) if rest else []


def _last_state(line: bytes) -> bytes:
    return line.rstrip(b"\r").rpartition(b"\r")[2]


def _texts(line: bytes) -> Iterable[str]:
    line = _last_state(line)
    for start in range(0, len(line) or 1, MAX_LINE_BYTES):
        yield safe_text(line[start : start + MAX_LINE_BYTES])


def safe_text(line: bytes) -> str:
    """Return readable text: escapes for colours are dropped, other control characters become their pictures, bad bytes their codes."""
    text = line.decode("utf-8", errors="backslashreplace")
    if _UNSAFE.search(text) is not None:
        text = _ESCAPES.sub("", text).translate(_CONTROLS)
    return text


def level_of(stream: str, text: str) -> str:
    """Read the level from a line of standard error, where logging and warnings go."""
    found = _LEVEL.search(text[:500]) if stream == "stderr" else None
    if found is None:
        return "info"
    word = (found[1] or ("WARNING" if found[2] else "ERROR")).lower()
    return "error" if word == "critical" else word


class Output:
    """Collects what one execution prints and hands it on in numbered lines.

    Parameters
    ----------
    execution_id, node_id : str
        Whose lines they are.
    limit_bytes : int
        Beyond this, only the last lines are kept.
    deliver : callable
        Takes each batch.

    While nobody hears (``is_heard``), all batches are kept to be delivered again, else the latest.
    """

    def __init__(self, execution_id: str, node_id: str, *, limit_bytes: int, deliver: Callable[[pb.Output], None]) -> None:
        self._execution_id, self._node_id = execution_id, node_id
        self._left_bytes, self._deliver = limit_bytes, deliver
        self._lines = {"stdout": Lines(), "stderr": Lines()}
        self._tails: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self._n_cut_bytes = 0
        self._n_lines = 0
        self._batch: list[pb.LogLine] = []
        self._recent: deque[pb.Output] = deque()
        self._recent_bytes = 0
        self.is_heard = True
        self.last_error_lines: deque[str] = deque(maxlen=20)

    @property
    def is_waiting(self) -> bool:
        """Whether there are lines to flush."""
        return bool(self._batch)

    def write(self, stream: str, data: bytes) -> None:
        """Take what came from a pipe."""
        if self._left_bytes < len(data):
            self._left_bytes = 0
            self._n_cut_bytes += len(data)
            self._tails[stream] = (self._tails[stream] + data)[-TAIL_BYTES:]
            return
        self._left_bytes -= len(data)
        self._add(stream, self._lines[stream].feed(data))

    def say(self, level: str, text: str) -> None:
        """Add a line of our own."""
        self._append("system", level, text)

    def finish(self) -> None:
        """Take the ends of both streams, say what was cut, and flush."""
        if self._n_cut_bytes:
            self.say("warning", f"The block printed too much: {self._n_cut_bytes / 1e6:.1f} MB were cut here. The last lines follow.")
            for stream, tail in self._tails.items():
                cut = tail.partition(b"\n")[2] if len(tail) == TAIL_BYTES else tail
                self._lines[stream] = Lines()
                self._add(stream, self._lines[stream].feed(cut))
        for stream, lines in self._lines.items():
            self._add(stream, lines.finish())
        self.flush()

    def flush(self) -> None:
        """Hand on what has come since the last time."""
        if not self._batch:
            return
        batch = pb.Output(execution_id=self._execution_id, lines=self._batch)
        self._batch = []
        self._recent.append(batch)
        self._recent_bytes += batch.ByteSize()
        while self.is_heard and self._recent_bytes > RECENT_BYTES and len(self._recent) > 1:
            self._recent_bytes -= self._recent.popleft().ByteSize()
        self._deliver(batch)

    def deliver_again(self) -> None:
        """Hand on the latest batches once more, for a runner that may have missed some; it knows lines by their number."""
        for batch in self._recent:
            self._deliver(batch)

    def _add(self, stream: str, texts: Iterable[str]) -> None:
        for text in texts:
            self._append(stream, level_of(stream, text), text)
            if stream == "stderr":
                self.last_error_lines.append(text)

    def _append(self, stream: str, level: str, text: str) -> None:
        self._n_lines += 1
        line = pb.LogLine(line=self._n_lines, node_id=self._node_id, stream=stream, level=level, text=text, time=to_timestamp(utc_now()))
        self._batch.append(line)

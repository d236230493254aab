"""A run in the terminal: a line for each thing that happens, or a JSON object for programs."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scistudio_cli.runs.model import BLOCK_ENDED, LogLineView, NodeView, RunSnapshot

MARKS = {
    "running": ("▶", "cyan"),
    "done": ("✓", "green"),
    "error": ("✗", "red"),
    "cancelled": ("■", "yellow"),
    "skipped": ("–", "dim"),
    "paused": ("‖", "magenta"),
}
PROGRESS_PAUSE_S = 0.5


def seconds(duration_s: float | None) -> str:
    """Return a duration as people read it."""
    if duration_s is None:
        return ""
    return f"{duration_s * 1000:.0f} ms" if duration_s < 1 else f"{duration_s:.1f} s"


def counted(n_blocks: int) -> str:
    """Return a number of blocks in words; none at all deserves a word of advice."""
    if n_blocks == 0:
        return "it has no blocks yet, so there is nothing to do"
    return f"{n_blocks} block{'' if n_blocks == 1 else 's'}"


class TerminalView:
    """Prints states, progress and log lines for a person: progress on standard error, the result on standard output."""

    def __init__(self) -> None:
        self._progress = Console(stderr=True, highlight=False, soft_wrap=True)
        self._result = Console(highlight=False, soft_wrap=True)
        self._seen: dict[str, NodeView] = {}
        self._width = 8
        self._progress_at: dict[str, float] = {}

    def started(self, run: RunSnapshot) -> None:
        """Say what starts."""
        self._width = max([8, *(len(node.id) for node in run.nodes)])
        self._progress.print(f"Run [bold]{run.id}[/] of [bold]{escape(run.workflow)}[/]: {counted(len(run.nodes))}")

    def show(self, run: RunSnapshot) -> None:
        """Print what changed since the last snapshot."""
        for node in run.nodes:
            before = self._seen.get(node.id)
            self._seen[node.id] = node
            if before is None or before.state != node.state:
                self._state(node)
            elif node.state == "running" and (node.progress, node.progress_message) != (before.progress, before.progress_message):
                self._progress_of(node)

    def _state(self, node: NodeView) -> None:
        if node.state not in MARKS:
            return
        mark, colour = MARKS[node.state]
        told = {"error": node.error, "skipped": node.reason, "cancelled": node.reason}.get(node.state, "")
        outputs = ", ".join(f"{port}: {n} × {kind}" if n != 1 else f"{port}: {kind}" for port, kind, n in node.outputs)
        detail = "  ".join(part for part in (seconds(node.duration_s), outputs, told) if part)
        self._progress.print(f"[{colour}]{mark} {node.id:<{self._width}} {node.state:<9}[/] {escape(detail)}")
        for warning in node.warnings if node.state in BLOCK_ENDED else ():
            self._progress.print(f"  {node.id:<{self._width}} [yellow]warning[/]   {escape(warning)}")

    def _progress_of(self, node: NodeView) -> None:
        if time.monotonic() - self._progress_at.get(node.id, 0.0) < PROGRESS_PAUSE_S:
            return
        self._progress_at[node.id] = time.monotonic()
        share = f"{node.progress:.0%}" if node.progress > 0 else ""
        self._progress.print(f"  {node.id:<{self._width}} [dim]{share} {escape(node.progress_message)}[/]")

    def line(self, line: LogLineView) -> None:
        """Print a line of a block."""
        style = {"error": "red", "warning": "yellow"}.get(line.level, "dim")
        self._progress.print(f"  {line.node:<{self._width}} [{style}]|[/] {escape(line.text)}")

    def note(self, text: str) -> None:
        """Print something about the run itself."""
        self._progress.print(f"[dim]{escape(text)}[/]")

    def ended(self, run: RunSnapshot) -> None:
        """Print the outcome: a table of the blocks, and what to do about those that failed."""
        table = Table(box=None, pad_edge=False)
        for heading in ("block", "type", "state", "time"):
            table.add_column(heading)
        for node in run.nodes:
            colour = MARKS.get(node.state, ("", "default"))[1]
            table.add_row(node.id, node.block_type, f"[{colour}]{node.state}[/]", seconds(node.duration_s))
        if run.nodes:
            self._result.print(table)
        for node in run.nodes:
            if node.state == "error":
                self._failed(node)
        reason = f" ({run.reason})" if run.reason else ""
        self._result.print(f"Run {run.id} [bold]{run.state}[/]{escape(reason)}.")

    def _failed(self, node: NodeView) -> None:
        self._result.print(f"[red]{node.id}[/] failed: {escape(node.error)}")
        if node.hint:
            self._result.print(f"  {escape(node.hint)}")
        if node.traceback:
            self._result.print("\n".join(f"  [dim]{escape(line)}[/]" for line in node.traceback.rstrip().splitlines()[-12:]))


class JsonView:
    """One JSON object a line on standard output, for programs."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def _print(self, kind: str, **fields: object) -> None:
        print(json.dumps({"event": kind, **fields}), flush=True)  # noqa: T201  # this is the program's output

    def started(self, run: RunSnapshot) -> None:
        """Say what starts."""
        self._print("run.started", run=run.id, workflow=run.workflow, nodes=[node.id for node in run.nodes])

    def show(self, run: RunSnapshot) -> None:
        """Print the states that changed."""
        for node in run.nodes:
            if self._seen.get(node.id) != node.state:
                self._seen[node.id] = node.state
                self._print("block.state", run=run.id, node=node.id, state=node.state)

    def line(self, line: LogLineView) -> None:
        """Print a line of a block."""
        self._print("log", node=line.node, level=line.level, text=line.text)

    def note(self, text: str) -> None:
        """Print something about the run itself."""
        self._print("note", text=text)

    def ended(self, run: RunSnapshot) -> None:
        """Print the whole run."""
        self._print("run.ended", run=run.id, state=run.state, reason=run.reason, nodes=[asdict(node) for node in run.nodes])

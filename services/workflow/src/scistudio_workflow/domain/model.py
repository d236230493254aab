"""Workflows as the service sees them, and the problems that a check finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scistudio_workflow.domain.document import Mapped

SUBWORKFLOW = "subworkflow_block"


class Severity(StrEnum):
    """An error keeps a workflow from running; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Mode(StrEnum):
    """``STRICT`` asks whether a workflow can run, ``DRAFT`` whether a half-built one is sound so far."""

    STRICT = "strict"
    DRAFT = "draft"


@dataclass(frozen=True)
class Problem:
    """Something about a workflow that a person should know. ``line`` is of the workflow's own file, 0 when there is none."""

    severity: Severity
    code: str
    message: str
    node: str = ""
    port: str = ""
    hint: str = ""
    line: int = 0


def error(code: str, message: str, **about: Any) -> Problem:
    """Return a problem that keeps the workflow from running."""
    return Problem(Severity.ERROR, code, message, **about)


def warning(code: str, message: str, **about: Any) -> Problem:
    """Return a problem that does not keep the workflow from running."""
    return Problem(Severity.WARNING, code, message, **about)


def errors_first(problems: Iterable[Problem]) -> list[Problem]:
    """Return each problem once, errors before warnings, in the order of the checks."""
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.severity is not Severity.ERROR)


@dataclass(frozen=True)
class Node:
    """A block's place in a workflow. ``source`` names the subworkflow file it came from; empty for the workflow's own nodes."""

    id: str
    block_type: str
    config: Mapping[str, Any] = field(default_factory=Mapped)
    execution_mode: str = ""
    layout: Mapping[str, float] | None = None
    line: int = 0
    source: str = ""

    @property
    def reference(self) -> str:
        """The workflow file that a subworkflow node names; empty when it names none."""
        reference = self.config.get("ref")
        path = reference.get("path") if isinstance(reference, Mapping) else None
        return path if isinstance(path, str) else ""


@dataclass(frozen=True)
class Edge:
    """A connection from an output port to an input port."""

    source_node: str
    source_port: str
    target_node: str
    target_port: str
    line: int = field(default=0, compare=False)
    source: str = field(default="", compare=False)

    @property
    def start(self) -> str:
        """Where the data leaves, as in the file."""
        return f"{self.source_node}:{self.source_port}"

    @property
    def end(self) -> str:
        """Where the data arrives, as in the file."""
        return f"{self.target_node}:{self.target_port}"

    def __str__(self) -> str:
        return f"{self.start} → {self.end}"


@dataclass(frozen=True)
class ExposedPort:
    """A port that a workflow offers to another that refers to it."""

    name: str
    node: str
    port: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Workflow:
    """A workflow file's contents. ``id`` is what the file says; a run is identified by the file."""

    id: str = ""
    version: str = "1.0.0"
    description: str = ""
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    exposed_inputs: tuple[ExposedPort, ...] = ()
    exposed_outputs: tuple[ExposedPort, ...] = ()
    has_exposed_ports: bool = False

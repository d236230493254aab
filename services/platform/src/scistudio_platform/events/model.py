"""What an event is, and its form on the wire.

The stored form is one JSON object: ``id type time project workflow run node execution data``. The place in the stream (the cursor)
is known at delivery only and never part of it. NaN and infinities are the texts ``"NaN"``, ``"Infinity"``, ``"-Infinity"``, since
JSON has no others; a field declared as float reads them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

from scistudio_platform.clock import utc_now
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.ids import new_id, subject_token


class EventData(BaseModel):
    """What happened. A new field has a default; a changed meaning is a new ``TYPE``, so that old events stay readable."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="strings")

    TYPE: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where it happened: ids of the project and, where it applies, of the workflow, run, node and execution."""

    project: str
    workflow: str | None = None
    run: str | None = None
    node: str | None = None
    execution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened. ``trace_context`` travels in the message's headers, not in its body."""

    scope: Scope
    data: EventData
    id: str = field(default_factory=new_id)
    time: datetime = field(default_factory=utc_now)
    trace_context: dict[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """The name of what happened, such as ``block.state_changed``."""
        return self.data.TYPE

    @property
    def family(self) -> str:
        """The first word of the type."""
        return self.type.partition(".")[0]


class UndecodableEvent(SciStudioError):
    """A message that is no event this version knows."""

    kind, code = Kind.INVALID, "event.undecodable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The message is not an event that this version reads: {reason}", hint="Look at the versions of the services.")


class _Envelope(BaseModel):
    id: str
    type: str
    time: AwareDatetime
    project: str
    workflow: str | None = None
    run: str | None = None
    node: str | None = None
    execution: str | None = None
    data: dict[str, Any]


def subject_of(event: Event, *, stream: str = "events") -> str:
    """Return ``scistudio.<stream>.<project>.<family>.<id>``, the id being that of what the family is about."""
    scope = event.scope
    owner = {"run": scope.run, "block": scope.node, "workflow": scope.workflow, "project": scope.project}.get(event.family)
    return f"scistudio.{stream}.{subject_token(scope.project)}.{event.family}.{subject_token(owner or '')}"


def encode(event: Event) -> bytes:
    """Return the stored form."""
    scope = event.scope
    head = {
        "id": event.id,
        "type": event.type,
        "time": event.time.isoformat(timespec="microseconds"),
        "project": scope.project,
        "workflow": scope.workflow,
        "run": scope.run,
        "node": scope.node,
        "execution": scope.execution,
    }
    return to_json(head)[:-1] + b',"data":' + event.data.model_dump_json().encode() + b"}"


def envelope(event: Event) -> dict[str, Any]:
    """Return the stored form as a dict, for who adds something to it."""
    read: dict[str, Any] = from_json(encode(event))
    return read


def decode(payload: bytes, headers: Mapping[str, str] | None, types: Mapping[str, type[EventData]]) -> Event:
    """Read the stored form back.

    Raises
    ------
    UndecodableEvent
        If it is no JSON, lacks a field, or has a type that is not in ``types``.
    """
    try:
        read = _Envelope.model_validate_json(payload)
        data = types[read.type].model_validate(read.data)
    except KeyError as error:
        raise UndecodableEvent(f"unknown type {error.args[0]!r}") from error
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise UndecodableEvent(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}") from error
    scope = Scope(project=read.project, workflow=read.workflow, run=read.run, node=read.node, execution=read.execution)
    trace = {key.lower(): value for key, value in (headers or {}).items() if key.lower() in ("traceparent", "tracestate")}
    return Event(id=read.id, time=read.time, scope=scope, data=data, trace_context=trace)

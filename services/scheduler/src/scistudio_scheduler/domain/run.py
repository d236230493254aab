"""A run: facts go in, effects come out. The only place that decides what happens next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from scistudio_platform.ids import ExecutionId, NodeId, RunId

from scistudio_scheduler.domain.effects import Acknowledge, Announce, AnnounceRun, Effect, Record, Start, Stop
from scistudio_scheduler.domain.graph import Edge
from scistudio_scheduler.domain.plan import Plan
from scistudio_scheduler.domain.records import Ending, Fault, NodeRun
from scistudio_scheduler.domain.states import (
    CANCELLED,
    DONE,
    ENDED,
    ERROR,
    IDLE,
    PAUSED,
    READY,
    RUNNING,
    SKIPPED,
    TERMINAL,
    TRANSITIONS,
    WAITING,
    BlockState,
    RunState,
)
from scistudio_scheduler.errors import InvalidTransition, NodeNotFound

RUN_CANCELLED, NODE_CANCELLED, RUN_FAILED = "run_cancelled", "node_cancelled", "run_failed"
ENDED_ITSELF = "the block ended itself"


@dataclass(slots=True)
class Run:
    """The state of one run, and what may happen to it."""

    id: RunId
    plan: Plan
    created_at: datetime
    nodes: dict[NodeId, NodeRun]
    state: RunState = RunState.QUEUED
    ended_at: datetime | None = None
    reason: str = ""
    cancel_reason: str | None = None
    failure: Fault | None = None

    @classmethod
    def new(cls, run_id: RunId, plan: Plan, at: datetime) -> Self:
        """Return a run of which nothing has happened yet."""
        return cls(run_id, plan, at, {node.id: NodeRun() for node in plan.nodes})

    def copy(self) -> Self:
        """Return a draft: deciding on it leaves this one as it is."""
        return replace(self, nodes=dict(self.nodes))

    @property
    def ended(self) -> bool:
        """Whether nothing more can happen."""
        return self.state in ENDED

    def ready(self) -> list[NodeId]:
        """Return the nodes that wait to be dispatched, in the workflow's order."""
        return [node for node in self.plan.graph.nodes if self.nodes[node].state is READY]

    def running(self) -> list[NodeId]:
        """Return the nodes that are in the runner's hands."""
        return [node for node, record in self.nodes.items() if record.state in (RUNNING, PAUSED)]

    def input_values(self, node: NodeId) -> dict[str, str]:
        """Return the wire JSON of each input port that something has come for."""
        edges = self.plan.graph.inputs(node)
        return {edge.target_port: self.nodes[edge.source_node].outputs[edge.source_port] for edge in edges if self._has_come(edge)}

    # Facts

    def begin(self, at: datetime) -> list[Effect]:
        """Make ready what needs nothing. A workflow without nodes ends here."""
        return [*self._advance(self.plan.graph.nodes, at), *self._derive(at)]

    def dispatched(self, node: NodeId, execution_id: ExecutionId, seed: int, at: datetime) -> list[Effect]:
        """Record that a ready node gets an execution."""
        effects = self._move(node, RUNNING, execution_id=execution_id, attempt=1, seed=seed, started_at=at)
        return [*effects, Start(node, execution_id), *self._derive(at)]

    def finish(self, node: NodeId, execution_id: ExecutionId, ending: Ending, at: datetime) -> list[Effect]:
        """Record how an execution ended and return what must happen next, in order.

        What was asked to stop is cancelled, whatever it answers afterwards. A late answer changes nothing.
        """
        record = self.nodes[node]
        if record.execution_id != execution_id or record.state in TERMINAL:
            return [Acknowledge(execution_id)]
        if record.stopping:
            ending = replace(ending, state=CANCELLED, outputs={}, error=None)
        effects = [*self._end(node, ending, at), Acknowledge(execution_id)]
        return [*effects, *self._advance(self.plan.graph.successors(node), at), *self._derive(at)]

    def lose(
        self, node: NodeId, execution_id: ExecutionId, ending: Ending, *, retry_as: ExecutionId, attempts: int, at: datetime
    ) -> list[Effect]:
        """Record that an execution's worker was lost: another attempt, while there are some left of ``attempts``."""
        record = self.nodes[node]
        is_current = record.execution_id == execution_id and record.state not in TERMINAL
        if not is_current or record.stopping or record.attempt >= attempts:
            return self.finish(node, execution_id, ending, at)
        lost = Record(node, replace(record, state=ERROR, error=ending.error, ended_at=at), ending)
        self.nodes[node] = replace(record, execution_id=retry_as, attempt=record.attempt + 1, started_at=at)
        return [lost, Acknowledge(execution_id), Announce(node, self.nodes[node]), Start(node, retry_as)]

    def cancel(self, reason: str, at: datetime) -> list[Effect]:
        """Stop everything: what waits is skipped, what runs is cancelled once it is gone."""
        if self.ended or self.cancel_reason is not None:
            return []
        self.cancel_reason = reason
        effects: list[Effect] = []
        for node, record in self.nodes.items():
            effects += self._skip(node, RUN_CANCELLED, at) if record.state in WAITING else self._stop(node, reason)
        return [*effects, *self._derive(at)]

    def cancel_node(self, node: NodeId, reason: str, at: datetime) -> list[Effect]:
        """Stop one node; what needs it is skipped, other branches go on."""
        if node not in self.nodes:
            raise NodeNotFound(self.id, node)
        if self.nodes[node].state not in WAITING:
            return self._stop(node, reason)
        effects = self._skip(node, NODE_CANCELLED, at)
        return [*effects, *self._advance(self.plan.graph.successors(node), at), *self._derive(at)]

    def refuse(self, node: NodeId, fault: Fault, at: datetime) -> list[Effect]:
        """Record that a waiting node cannot be run at all; a node that has gone on meanwhile is left alone."""
        if self.nodes[node].state not in WAITING:
            return []
        effects = self._move(node, ERROR, error=fault, ended_at=at)
        return [*effects, *self._advance(self.plan.graph.successors(node), at), *self._derive(at)]

    def fail(self, fault: Fault, at: datetime) -> list[Effect]:
        """End the run because of trouble around it: what runs is given up, what waits is skipped."""
        if self.ended:
            return []
        self.failure = fault
        effects: list[Effect] = []
        for node, record in self.nodes.items():
            if record.state in WAITING:
                effects += self._skip(node, RUN_FAILED, at)
            elif record.state not in TERMINAL:
                effects += [*self._end(node, Ending(ERROR, error=fault, ended_at=at), at), Stop(node, record.execution_id)]
        return [*effects, *self._derive(at)]

    # Rules

    def _advance(self, nodes: Iterable[NodeId], at: datetime) -> list[Effect]:
        """Make ready or skip each of ``nodes`` that waits for nothing more, and what follows from a skip."""
        effects: list[Effect] = []
        queue = list(nodes)
        while queue:
            node = queue.pop(0)
            if self.nodes[node].state is not IDLE:
                continue
            edges = self.plan.graph.inputs(node)
            missing = next((edge for edge in edges if self.plan.graph.is_required(edge) and self._cannot_come(edge)), None)
            if missing is not None:
                effects += self._skip(node, self._why(missing), at)
                queue += self.plan.graph.successors(node)
            elif all(self.nodes[edge.source_node].state in TERMINAL for edge in edges):
                effects += self._move(node, READY)
        return effects

    def _has_come(self, edge: Edge) -> bool:
        source = self.nodes[edge.source_node]
        return source.state is DONE and edge.source_port in source.outputs

    def _cannot_come(self, edge: Edge) -> bool:
        return self.nodes[edge.source_node].state in TERMINAL and not self._has_come(edge)

    def _why(self, edge: Edge) -> str:
        state = self.nodes[edge.source_node].state
        how = f"which produced no {edge.source_port}" if state is DONE else f"which ended as {state}"
        return f"input {edge.target_port} is missing: it comes from {edge.source_node}, {how}"

    def _skip(self, node: NodeId, reason: str, at: datetime) -> list[Effect]:
        return self._move(node, SKIPPED, reason=reason, ended_at=at)

    def _stop(self, node: NodeId, reason: str) -> list[Effect]:
        record = self.nodes[node]
        if record.state in TERMINAL or record.stopping:
            return []
        self.nodes[node] = replace(record, stopping=True, reason=reason)
        return [Stop(node, record.execution_id)]

    def _end(self, node: NodeId, ending: Ending, at: datetime) -> list[Effect]:
        """Move a running node to its end and keep what is worth keeping."""
        record = self.nodes[node]
        moved = self._move(
            node,
            ending.state,
            outputs=ending.outputs if ending.state is DONE else {},
            summaries=ending.summaries if ending.state is DONE else (),
            error=ending.error if ending.state is ERROR else None,
            traceback=ending.traceback,
            reason=record.reason or (ENDED_ITSELF if ending.state is CANCELLED else ""),
            warnings=ending.warnings,
            started_at=ending.started_at or record.started_at,
            ended_at=ending.ended_at or at,
        )
        return [*moved, Record(node, self.nodes[node], ending)]

    def _move(self, node: NodeId, state: BlockState, **changes: Any) -> list[Effect]:
        record = self.nodes[node]
        if state not in TRANSITIONS.get(record.state, ()):
            raise InvalidTransition(self.id, node, record.state, state)
        self.nodes[node] = replace(record, state=state, **changes)
        return [Announce(node, self.nodes[node])]

    def _derive(self, at: datetime) -> list[Effect]:
        """Bring the run's state in line with those of its blocks."""
        state = self._derived()
        if state is self.state:
            return []
        self.state = state
        if state in ENDED:
            self.ended_at, self.reason = at, self._reason()
        return [AnnounceRun(state, self.reason)]

    def _derived(self) -> RunState:
        states = {record.state for record in self.nodes.values()}
        if not states <= TERMINAL:
            if RUNNING in states or PAUSED not in states:
                is_started = any(record.attempt for record in self.nodes.values())
                return RunState.RUNNING if is_started else RunState.QUEUED
            return RunState.PAUSED
        if self.failure is not None:
            return RunState.FAILED
        if self.cancel_reason is not None:
            return RunState.CANCELLED
        if ERROR in states:
            return RunState.COMPLETED_WITH_FAILURES if self.plan.continue_on_failure else RunState.FAILED
        was_cancelled = CANCELLED in states or any(record.reason == NODE_CANCELLED for record in self.nodes.values())
        return RunState.CANCELLED if was_cancelled else RunState.COMPLETED

    def _reason(self) -> str:
        if self.failure is not None:
            return self.failure.message
        if self.cancel_reason is not None:
            return self.cancel_reason
        failed = [node for node, record in self.nodes.items() if record.state is ERROR]
        return f"failed: {', '.join(failed)}" if failed else ""

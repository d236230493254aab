"""Runs as the scheduler's messages and as the gateway's JSON, into one form."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scistudio_platform.clock import from_timestamp
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb

from scistudio_cli.runs.model import NodeView, RunSnapshot


def run_from_proto(run: pb.Run) -> RunSnapshot:
    """Return the snapshot that a scheduler's message holds."""
    state = pb.RunState.Name(run.state).removeprefix("RUN_STATE_").lower()
    return RunSnapshot(run.id, run.workflow_id, state, run.reason, tuple(_node_from_proto(node) for node in run.nodes))


def _node_from_proto(node: pb.NodeRun) -> NodeView:
    started, ended = from_timestamp(node.started_at), from_timestamp(node.ended_at)
    return NodeView(
        id=node.node_id,
        block_type=node.block_type,
        state=pb.BlockState.Name(node.state).removeprefix("BLOCK_STATE_").lower(),
        duration_s=(ended - started).total_seconds() if started and ended else None,
        error=node.error.message,
        error_code=node.error.code,
        hint=node.error.hint,
        traceback=node.traceback,
        reason=node.reason,
        progress=node.progress,
        progress_message=node.progress_message,
        outputs=tuple((output.port, output.type_name, output.n_items) for output in node.outputs),
        warnings=tuple(node.warnings),
    )


def run_from_json(run: dict[str, Any]) -> RunSnapshot:
    """Return the snapshot that the gateway's answer holds."""
    nodes = tuple(_node_from_json(node) for node in run.get("nodes", ()))
    return RunSnapshot(run["id"], run["workflow_id"], run["state"], run.get("reason") or "", nodes)


def _node_from_json(node: dict[str, Any]) -> NodeView:
    started, ended = node.get("started_at"), node.get("ended_at")
    error = node.get("error") or {}
    return NodeView(
        id=node["node_id"],
        block_type=node["block_type"],
        state=node["state"],
        duration_s=(datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() if started and ended else None,
        error=error.get("message", ""),
        error_code=error.get("code", ""),
        hint=error.get("hint", ""),
        traceback=node.get("traceback") or "",
        reason=node.get("reason") or "",
        progress=node.get("progress") or 0.0,
        progress_message=node.get("progress_message") or "",
        outputs=tuple((output["port"], output["type_name"], output["n_items"]) for output in node.get("outputs", ())),
        warnings=tuple(node.get("warnings", ())),
    )

"""From what is known of an ended child to what its execution came to: the one table of reasons, with what to do about each."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_worker.child import START_FAILED


class Stop(Enum):
    """Why we ended a child."""

    CANCELLED = auto()
    WALL_TIME = auto()
    CPU_TIME = auto()
    MEMORY = auto()
    PROTOCOL = auto()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a child that has ended.

    Attributes
    ----------
    answer : dict or None
        Its ``result`` or ``error`` message, if it sent one before we ended it.
    status : int or None
        Its wait status; None when the warm parent was lost.
    refused : str
        Why the system would not make the process.
    """

    answer: dict[str, Any] | None
    status: int | None
    stop: Stop | None = None
    refused: str = ""
    n_killed_for_memory: int = 0
    peak_memory_bytes: int = 0
    block_began: bool = True
    last_error_lines: str = ""


def decide(facts: Facts, limits: pb.Limits, node_id: str) -> tuple[pb.Outcome.ValueType, ErrorDetail | None]:
    """Return the outcome and, for all but success, the error."""
    answer = facts.answer or {}
    if answer.get("type") == "result" and (facts.stop is None or facts.stop is Stop.MEMORY):
        return (pb.OUTCOME_CANCELLED if answer.get("final_state") == "cancelled" else pb.OUTCOME_DONE), None
    if facts.stop is Stop.CANCELLED:
        return pb.OUTCOME_CANCELLED, None
    detail = _limit_reached(facts, limits, node_id) or _own_error(answer, node_id)
    if detail is None and facts.status is None:
        return pb.OUTCOME_LOST, _lost(facts, node_id)
    return pb.OUTCOME_ERROR, detail or _ended_without_answer(facts, node_id)


def _limit_reached(facts: Facts, limits: pb.Limits, node_id: str) -> ErrorDetail | None:
    if facts.stop is Stop.MEMORY or facts.n_killed_for_memory:
        peak = f", peak {_size(facts.peak_memory_bytes)}" if facts.peak_memory_bytes else ""
        said = f" The block said: {facts.answer['message']}" if facts.answer and facts.answer.get("message") else ""
        return error_detail(
            "worker.memory_limit",
            f"The memory limit of {limits.memory_gb:g} GB was exceeded{peak}.{said}",
            node_id,
            f"Raise the memory of node {node_id} (resources: memory_gb), or let the block work in smaller pieces.",
        )
    if facts.stop is Stop.WALL_TIME:
        hint = f"Raise the time limit of node {node_id} (resources: wall_time_s)."
        return error_detail("worker.time_limit", f"The time limit of {limits.wall_time_s:g} s was reached.", node_id, hint)
    if facts.stop is Stop.CPU_TIME or (limits.cpu_time_s and facts.answer is None and _signal(facts.status) == signal.SIGXCPU):
        hint = f"Raise the CPU time of node {node_id} (resources: cpu_time_s)."
        return error_detail("worker.cpu_limit", f"The limit of {limits.cpu_time_s:g} s of CPU time was reached.", node_id, hint)
    return None


def _own_error(answer: dict[str, Any], node_id: str) -> ErrorDetail | None:
    if answer.get("type") != "error":
        return None
    code, message = answer.get("code") or "block.failed", answer.get("message") or "The block failed without a message."
    return error_detail(str(code), str(message), str(answer.get("subject") or f"node/{node_id}"), str(answer.get("hint") or ""))


def _lost(facts: Facts, node_id: str) -> ErrorDetail:
    return error_detail(
        "worker.parent_lost",
        "The process that had started this block was ended from outside, and the block with it.",
        node_id,
        "Run it again. If it happens again, see whether the machine runs out of memory.",
    )


def _ended_without_answer(facts: Facts, node_id: str) -> ErrorDetail:
    if facts.refused:
        hint = "Wait until other programs have ended, or raise the limit of processes (ulimit -u)."
        return error_detail("worker.start_failed", f"The system would not make a process for the block: {facts.refused}.", node_id, hint)
    if facts.stop is Stop.PROTOCOL:
        hint = "Code in the block has written to file descriptor 3, which belongs to SciStudio."
        return error_detail("worker.protocol", "The block's process sent something that is no message.", node_id, hint)
    if (number := _signal(facts.status)) is not None:
        return _killed(number, node_id)
    code = os.waitstatus_to_exitcode(facts.status or 0)
    if code == START_FAILED and not facts.block_began:
        message = f"The block's process could not start. It said: {facts.last_error_lines}"
        return error_detail("worker.start_failed", message, node_id, "Check the worker environment: `python -m scistudio check`.")
    if code == START_FAILED:
        said = f" It said: {facts.last_error_lines}" if facts.last_error_lines else ""
        hint = "Code in the block has closed files that it did not open (file descriptor 3 belongs to SciStudio): close only your own."
        return error_detail("worker.cut_off", f"The block's process was cut off before it gave a result.{said}", node_id, hint)
    message = f"The block ended its own process with exit status {code} before it gave a result."
    hint = "Something in it calls exit, quit or os._exit: return from `run`, or raise an error, instead."
    return error_detail("worker.exited", message, node_id, hint)


def _killed(number: int, node_id: str) -> ErrorDetail:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    hints = {
        signal.SIGKILL: "It was ended from outside. The usual reason is that the machine ran out of memory: give the node a memory limit.",
        signal.SIGSEGV: "Native code has crashed: a compiled library that the block uses. Its last lines are in the log.",
        signal.SIGABRT: "Native code has given up: a compiled library that the block uses. Its last lines are in the log.",
    }
    hint = hints.get(signal.Signals(number), "") if number in hints else "See the node's log for its last lines."
    return error_detail("worker.killed", f"The block's process was killed by {name}.", node_id, hint)


def how_it_ended(status: int | None, refused: str = "") -> str:
    """Return, in words, how a child ended that gave no answer."""
    if refused:
        return f"the system would not make a process ({refused})"
    if status is None:
        return "its process was ended from outside"
    number = _signal(status)
    return f"its process was killed by signal {number}" if number else f"its process ended with status {os.waitstatus_to_exitcode(status)}"


def host_fault(node_id: str) -> ErrorDetail:
    """Return the error of an execution at which our own code has failed."""
    hint = "This is a fault of SciStudio: the worker host's log has the details."
    return error_detail("worker.internal", "The worker host failed at this execution.", node_id, hint)


def answer_too_large(size_bytes: int, node_id: str) -> ErrorDetail:
    """Return the error of an answer that no service could take: large Collections travel as a stored manifest."""
    hint = "Return objects that are stored, not plain values."
    return error_detail("worker.answer_too_large", f"The block's answer has {size_bytes / 1e6:.0f} MB.", node_id, hint)


def warnings(facts: Facts) -> list[str]:
    """Return what a person should know although the block has succeeded."""
    if facts.n_killed_for_memory and facts.answer is not None and facts.answer.get("type") == "result":
        return ["A process that the block had started was ended at the memory limit; the block went on without it."]
    return []


def exit_code(facts: Facts) -> int:
    """Return the exit status as a shell says it; 0 when the child ended by itself with an answer."""
    if facts.status is None:
        return 128 + signal.SIGKILL
    code = os.waitstatus_to_exitcode(facts.status)
    if facts.answer is not None and facts.stop is None and code >= 0:
        return 0
    return 128 - code if code < 0 else code


def _signal(status: int | None) -> int | None:
    return os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 2**30:.2f} GB" if size_bytes >= 2**30 else f"{size_bytes / 2**20:.0f} MB"


def clean(text: str) -> str:
    """Return text that protobuf takes: lone surrogates become their codes."""
    return text.encode("utf-8", errors="backslashreplace").decode()


def error_detail(code: str, message: str, subject: str, hint: str) -> ErrorDetail:
    """Return an error about a node, or about what ``subject`` names."""
    subject = subject if "/" in subject else f"node/{subject}"
    return ErrorDetail(code=clean(code), message=clean(message), subject=clean(subject), hint=clean(hint))

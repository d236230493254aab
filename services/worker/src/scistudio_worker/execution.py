"""One execution on this host: from the runner's request to its result, with its limits, its progress and its cancel."""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections.abc import Callable
from typing import Any

from scistudio.worker.protocol import ProtocolError
from scistudio_platform.clock import to_timestamp, utc_now
from scistudio_platform.errors import SciStudioError, to_detail
from scistudio_platform.logging import get_logger
from scistudio_platform.telemetry import span
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_worker import outcome
from scistudio_worker.child import ForkCommand
from scistudio_worker.errors import ProjectMissing
from scistudio_worker.limits import LimitWatch
from scistudio_worker.outcome import Facts, Stop
from scistudio_worker.output import Output
from scistudio_worker.process import Ended, Listener, ProcessMaker
from scistudio_worker.throttle import Throttle

DEFAULT_GRACE_S = 5.0
LINGER_S = 10.0  # how long a process may live on after its answer
ANSWER_LIMIT_BYTES = 48 * 1024 * 1024  # what a message between services may hold, with room for the rest of it
FLUSH_S = 0.05
PROGRESS_S = 0.1
logger = get_logger("worker")


def request_of(spec: pb.Execution) -> dict[str, Any]:
    """Return what the SDK's ``run_child`` takes."""
    block = spec.block
    return {
        "kind": "execute",
        "execution_id": spec.execution_id,
        "block_class": block.class_name if block.file_path else f"{block.module}:{block.class_name}",
        **({"block_file_path": block.file_path} if block.file_path else {}),
        "runtime_import_roots": list(block.import_roots),
        "inputs": {value.port: json.loads(value.value_json) for value in spec.inputs},
        "config": json.loads(spec.config_json or "{}"),
        "output_dir": spec.output_dir,
        "project_dir": spec.project_dir,
        "workflow_id": spec.workflow_id,
        "run_id": spec.run_id,
        "node_id": spec.node_id,
        "seed": spec.seed,
        "cpu_cores": spec.limits.cpu_cores or 1,
    }


def command_of(spec: pb.Execution) -> ForkCommand:
    """Return how the child is made."""
    return ForkCommand(
        id=spec.execution_id,
        cpu_limit_s=math.ceil(spec.limits.cpu_time_s),
        fresh=spec.start_method == "spawn",
    )


class Execution(Listener):
    """Runs a block once.

    Parameters
    ----------
    spec : pb.Execution
        What the runner asked for.
    emit : callable
        Takes what the runner shall hear meanwhile: started, progress, output.
    """

    def __init__(
        self,
        spec: pb.Execution,
        make_process: ProcessMaker,
        emit: Callable[[pb.ConnectRequest], None],
        *,
        host_id: str,
        output_limit_bytes: int,
    ) -> None:
        self.spec, self._emit, self._host_id = spec, emit, host_id
        self._process = make_process(self, command_of(spec), memory_bytes=int(spec.limits.memory_gb * 2**30))
        self.output = Output(spec.execution_id, spec.node_id, limit_bytes=output_limit_bytes, deliver=self._deliver)
        self._flushing = Throttle(FLUSH_S, self.output.flush)
        self._progress = pb.HostProgress(execution_id=spec.execution_id)
        self._progressing = Throttle(PROGRESS_S, self._emit_progress)
        self._started: pb.Started | None = None
        self._answer: dict[str, Any] | None = None
        self._stop: Stop | None = None
        self._block_began = False
        self._timers: list[asyncio.TimerHandle] = []

    async def run(self) -> pb.Result:
        """Run to the end. Never raises: what goes wrong here is the result's error."""
        began, started_at = time.monotonic(), utc_now()
        try:
            with span("execution", context=dict(self.spec.trace_context), node=self.spec.node_id):
                result = await self._run()
        except SciStudioError as error:
            result = pb.Result(outcome=pb.OUTCOME_ERROR, error=to_detail(error))
        except Exception:
            logger.exception("execution failed on the host", execution=self.spec.execution_id)
            result = pb.Result(outcome=pb.OUTCOME_ERROR, error=outcome.host_fault(self.spec.node_id))
        for timer in self._timers:
            timer.cancel()
        self._progressing.flush()
        self.output.finish()
        ends = pb.Result(started_at=to_timestamp(started_at), ended_at=to_timestamp(utc_now()), duration_s=time.monotonic() - began)
        result.MergeFrom(ends)
        result.execution_id, result.host_id = self.spec.execution_id, self._host_id
        return result

    async def _run(self) -> pb.Result:
        if not os.path.isdir(self.spec.project_dir):  # noqa: ASYNC240,PTH112  # one call of the kernel
            raise ProjectMissing(self.spec.project_dir)
        request = request_of(self.spec)
        limits = self.spec.limits
        if limits.wall_time_s:
            self._later(limits.wall_time_s, lambda: self._end(Stop.WALL_TIME))
        with LimitWatch(self._process, limits, self._end):
            ended = await self._process.run(request)
        if not ended.all_gone:
            self.output.say("error", "A process of the block does not end: it is stuck in the kernel, and is left behind.")
        return self._result(ended)

    def cancel(self) -> None:
        """End it: first politely, after the grace by force. The result follows when nothing of it lives."""
        self._end(Stop.CANCELLED)

    def _end(self, reason: Stop) -> None:
        if self._stop is not None or self._answer is not None:
            return
        self._stop = reason
        if reason in (Stop.MEMORY, Stop.PROTOCOL):
            self._process.kill()
            return
        self._process.terminate()
        self._later(self.spec.limits.terminate_grace_s or DEFAULT_GRACE_S, self._process.kill)

    def kill(self) -> None:
        """End it without grace, since the host ends."""
        self._stop = self._stop or Stop.CANCELLED
        self._process.kill()

    def _later(self, delay_s: float, action: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(delay_s, action))

    def started(self, pid: int) -> None:
        """Tell the runner."""
        self._started = pb.Started(started_at=to_timestamp(utc_now()), pid=pid, host_id=self._host_id)
        self._emit_started()

    def _emit_started(self) -> None:
        if self._started is not None:
            self._emit(pb.ConnectRequest(started=pb.HostStarted(execution_id=self.spec.execution_id, started=self._started)))

    def tell_again(self) -> None:
        """Tell a runner that has come back what it may have missed."""
        self._emit_started()
        self.output.is_heard = True
        self.output.deliver_again()
        self._emit_progress()

    def message(self, message: dict[str, Any]) -> None:
        """Take what the block's process says."""
        match message.get("type"):
            case "started":
                self._block_began = True
            case "progress":
                fraction = message.get("fraction")
                self._progress.progress.fraction = -1.0 if fraction is None else min(max(float(fraction), 0.0), 1.0)
                self._progress.progress.message = outcome.clean(str(message.get("message") or ""))
                self._progressing.ask()
            case "result" | "error" if self._stop is None:
                self._answer = message
                self._later(LINGER_S, self._process.kill)

    def malformed(self, error: ProtocolError) -> None:
        """Something but our code writes to the socket: the answer cannot be trusted."""
        self.output.say("error", f"The block's process sent what is no message: {error}")
        self._end(Stop.PROTOCOL)

    def printed(self, stream: str, data: bytes) -> None:
        """Collect lines."""
        self.output.write(stream, data)
        if self.output.is_waiting:
            self._flushing.ask()

    def _deliver(self, batch: pb.Output) -> None:
        self._emit(pb.ConnectRequest(output=batch))

    def _emit_progress(self) -> None:
        if self._progress.HasField("progress"):
            self._emit(pb.ConnectRequest(progress=self._progress))

    def _result(self, ended: Ended) -> pb.Result:
        answer = self._answer or {}
        facts = Facts(
            answer=self._answer,
            status=ended.status,
            stop=self._stop,
            refused=ended.refused,
            n_killed_for_memory=ended.n_killed_for_memory,
            peak_memory_bytes=ended.peak_memory_bytes,
            block_began=self._block_began,
            last_error_lines="\n".join(self.output.last_error_lines),
        )
        came_to, error = outcome.decide(facts, self.spec.limits, self.spec.node_id)
        result = pb.Result(
            outcome=came_to,
            error=error,
            outputs=_port_values(answer) if came_to == pb.OUTCOME_DONE else [],
            traceback=outcome.clean(str(answer.get("traceback") or "")),
            environment_json=json.dumps(answer.get("environment") or {}),
            cpu_time_s=max(ended.cpu_time_s, float(answer.get("cpu_time_s") or 0.0)),
            peak_memory_bytes=max(ended.peak_memory_bytes, int(answer.get("peak_memory_bytes") or 0)),
            warnings=[*(outcome.clean(str(text)) for text in answer.get("warnings") or []), *outcome.warnings(facts)],
            exit_code=outcome.exit_code(facts),
        )
        if result.ByteSize() > ANSWER_LIMIT_BYTES:
            return pb.Result(outcome=pb.OUTCOME_ERROR, error=outcome.answer_too_large(result.ByteSize(), self.spec.node_id))
        return result


def _port_values(answer: dict[str, Any]) -> list[PortValue]:
    outputs: dict[str, Any] = answer.get("outputs") or {}
    return [PortValue(port=port, value_json=json.dumps(value)) for port, value in outputs.items()]

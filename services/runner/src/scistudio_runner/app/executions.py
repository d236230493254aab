"""All executions that this runner knows: placed on hosts, followed, cancelled, and kept until they are acknowledged."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from scistudio_platform.clock import utc_now
from scistudio_platform.logging import get_logger
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_runner.domain import record as records
from scistudio_runner.domain.age import may_run_already
from scistudio_runner.domain.hosts import Host, Send, choose, why_waiting
from scistudio_runner.domain.record import Phase, Record
from scistudio_runner.errors import InvalidExecution, Stopping
from scistudio_runner.settings import RunnerSettings

KEPT_ACKNOWLEDGED = 1000
KEPT_UNASKED_OUTPUTS = 200
logger = get_logger("runner")
Queue = asyncio.Queue[pb.ExecuteResponse | None]  # None: the runner stops
Write = Callable[[pb.Execution, list[pb.LogLine]], None]
Progressed = Callable[[pb.Execution, pb.Progress], None]


class Executions:
    """A part: executions and the hosts that have them. Everything happens in one event loop, so each method is one step.

    Parameters
    ----------
    write : callable
        Takes what an execution printed.
    progressed : callable
        Takes how far an execution is.
    """

    def __init__(self, settings: RunnerSettings, write: Write, progressed: Progressed) -> None:
        self._settings, self._write, self._progressed = settings, write, progressed
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._acknowledged: OrderedDict[str, Record] = OrderedDict()
        self._followers: dict[str, list[Queue]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._started_at = utc_now()
        self._is_adopting = True
        self._expected: dict[str, asyncio.Future[None]] = {}
        self.hosts: dict[str, Host] = {}
        self.n_ended: Counter[str] = Counter()

    async def start(self) -> None:
        """Begin the time in which hosts of an earlier runner come back."""
        self._started_at = utc_now()
        self._timers[""] = asyncio.get_running_loop().call_later(self._settings.adoption_s, self._end_adoption)

    def _end_adoption(self) -> None:
        self._is_adopting = False
        for execution_id in list(self._expected):
            self._expect_no_more(execution_id)
        self._place_waiting()

    async def _expect(self, execution_id: str) -> None:
        """Wait until a host brings the execution, or none will."""
        expected = self._expected.setdefault(execution_id, asyncio.get_running_loop().create_future())
        await asyncio.shield(expected)

    def _expect_no_more(self, execution_id: str) -> None:
        if (expected := self._expected.pop(execution_id, None)) is not None:
            expected.set_result(None)

    def _may_be_brought(self, execution_id: str) -> bool:
        return self._is_adopting and may_run_already(execution_id, self._started_at)

    async def stop(self) -> None:
        """Leave executions to their hosts: the next runner finds them there."""
        for timer in self._timers.values():
            timer.cancel()

    def send_away(self) -> None:
        """End every stream with the advice to ask again: this runner stops."""
        for queue in [queue for queues in self._followers.values() for queue in queues]:
            queue.put_nowait(None)

    # --- for other services -------------------------------------------------------------------------------------------

    async def follow(self, spec: pb.Execution) -> AsyncIterator[pb.ExecuteResponse]:
        """Start an execution, unless it is known, and give its news up to the result."""
        if not (spec.execution_id and spec.node_id and spec.run_id and spec.project_dir):
            raise InvalidExecution("An execution needs its id, its run, its node and the project's folder.")
        record = self._asked(spec)
        queue: Queue = asyncio.Queue()
        for news in record.so_far():
            queue.put_nowait(news)
        followers = self._followers.setdefault(record.id, [])
        followers.append(queue)
        try:
            while (next_news := await queue.get()) is not None:
                yield next_news
                if next_news.HasField("result"):
                    return
            raise Stopping()
        finally:
            followers.remove(queue)

    def _asked(self, spec: pb.Execution) -> Record:
        record = self._records.get(spec.execution_id) or self._acknowledged.get(spec.execution_id)
        if record is None:
            record = self._records[spec.execution_id] = Record(spec.execution_id, spec)
            self._place(record)
        elif record.spec is None:
            record.spec = spec
            for output in record.unwritten:
                self._write(spec, list(output.lines))
            record.unwritten = []
        return record

    async def cancel(self, execution_id: str, reason: str) -> bool:
        """End an execution and return when nothing of it lives; False when nobody knows it."""
        if execution_id not in self._records and self._may_be_brought(execution_id):
            await self._expect(execution_id)
        record = self._records.get(execution_id)
        if record is None:
            return False
        if record.phase is not Phase.ENDED:
            record.cancel_reason = reason or "cancelled"
            followers, ended = self._followers.setdefault(execution_id, []), Queue()
            followers.append(ended)
            try:
                self._pass_cancel_on(record)
                await _wait_for_result(ended)
            finally:
                followers.remove(ended)
        return True

    def _pass_cancel_on(self, record: Record) -> None:
        if record.phase is Phase.WAITING:
            self._end(record, records.cancelled(record))
        elif (host := self.hosts.get(record.host_id)) is not None and host.send is not None:
            host.send(pb.ConnectResponse(cancel=pb.Cancel(execution_id=record.id, reason=record.cancel_reason or "")))

    def acknowledge(self, execution_id: str) -> None:
        """Forget a result, here and where it came from."""
        record = self._records.get(execution_id)
        if record is None or record.phase is not Phase.ENDED:
            return
        self._tell_acknowledged(record)
        del self._records[execution_id]
        self._followers.pop(execution_id, None)
        self._acknowledged[execution_id] = record
        record.forget_inputs()
        while len(self._acknowledged) > KEPT_ACKNOWLEDGED:
            self._acknowledged.popitem(last=False)

    def _tell_acknowledged(self, record: Record) -> None:
        host = self.hosts.get(record.host_id)
        if host is not None and host.send is not None:
            host.send(pb.ConnectResponse(acknowledge=pb.Acknowledge(execution_id=record.id)))

    # --- placing ------------------------------------------------------------------------------------------------------

    def _place(self, record: Record) -> None:
        """Hand a waiting execution to a host, or say why it waits."""
        if self._may_be_brought(record.id):
            self._wait(record, "waiting for worker hosts that may have it already")
            return
        host = choose(self.hosts.values())
        if host is None or host.send is None or record.spec is None:
            self._wait(record, why_waiting(self.hosts.values()))
            return
        record.phase, record.host_id, record.waiting = Phase.PLACED, host.id, ""
        host.executions.add(record.id)
        host.send(pb.ConnectResponse(execution=record.spec))

    def _wait(self, record: Record, why: str) -> None:
        if record.waiting != why:
            record.waiting = why
            self._tell(record, pb.ExecuteResponse(waiting=why))

    def _place_waiting(self) -> None:
        for record in list(self._records.values()):
            if record.phase is Phase.WAITING:
                self._place(record)

    def _end(self, record: Record, result: pb.Result) -> None:
        if record.phase is Phase.ENDED:
            return
        record.phase, record.result = Phase.ENDED, result
        if (host := self.hosts.get(record.host_id)) is not None:
            host.executions.discard(record.id)
        self.n_ended[pb.Outcome.Name(result.outcome).removeprefix("OUTCOME_").lower()] += 1
        self._tell(record, pb.ExecuteResponse(result=result))
        self._place_waiting()

    def _tell(self, record: Record, news: pb.ExecuteResponse) -> None:
        for queue in self._followers.get(record.id, ()):
            queue.put_nowait(news)

    # --- hosts --------------------------------------------------------------------------------------------------------

    def host_came(self, hello: pb.Hello, send: Send) -> Host:
        """Take a host in, or back, with what it says it has."""
        host = self.hosts.get(hello.host_id) or Host(hello.host_id, hello.slots, dict(hello.labels), utc_now())
        self.hosts[host.id] = host
        host.slots, host.labels, host.connected_at, host.send = hello.slots, dict(hello.labels), utc_now(), send
        if (timer := self._timers.pop(host.id, None)) is not None:
            timer.cancel()
        for execution_id in hello.running:
            self._adopt(host, execution_id)
        for result in hello.finished:
            self.ended(host, result)
        self._send_again(host, {*hello.running, *(result.execution_id for result in hello.finished)})
        self._place_waiting()
        return host

    def _adopt(self, host: Host, execution_id: str) -> None:
        record = self._brought(execution_id)
        if record.phase is Phase.ENDED:  # it was given up, and that has been told
            assert host.send is not None
            host.send(pb.ConnectResponse(cancel=pb.Cancel(execution_id=execution_id, reason="given up as lost")))
            return
        record.phase, record.host_id = Phase.PLACED, host.id
        host.executions.add(execution_id)
        if record.cancel_reason is not None:
            self._pass_cancel_on(record)

    def _brought(self, execution_id: str) -> Record:
        """Return the record of what a host has, made for what we did not know."""
        record = self._records.setdefault(execution_id, Record(execution_id))
        self._expect_no_more(execution_id)
        return record

    def _send_again(self, host: Host, known: set[str]) -> None:
        """What was placed on a host that does not know it never arrived there."""
        for execution_id in host.executions - known:
            host.executions.discard(execution_id)
            record = self._records[execution_id]
            record.phase, record.host_id = Phase.WAITING, ""
            if record.cancel_reason is not None:
                self._pass_cancel_on(record)

    def host_went(self, host: Host, send: Send) -> None:
        """Hear that a connection has ended; the host may come back, or be back by another one."""
        if host.send is not send:
            return
        host.send = None
        loop = asyncio.get_running_loop()
        self._timers[host.id] = loop.call_later(self._settings.host_timeout_s, self._give_up, host, utc_now())

    def _give_up(self, host: Host, since: datetime) -> None:
        logger.error("worker host lost", host=host.id, executions=len(host.executions))
        del self.hosts[host.id], self._timers[host.id]
        away_s = (utc_now() - since).total_seconds()
        for execution_id in list(host.executions):
            record = self._records[execution_id]
            self._end(record, records.cancelled(record) if record.cancel_reason else records.lost(record, away_s))

    def started(self, host: Host, execution_id: str, started: pb.Started) -> None:
        """Hear that a block's process runs."""
        record = self._records.get(execution_id)
        if record is not None and record.started is None:
            record.started = started
            self._tell(record, pb.ExecuteResponse(started=started))

    def progress(self, execution_id: str, progress: pb.Progress) -> None:
        """Hear how far it is."""
        record = self._records.get(execution_id)
        if record is not None and record.phase is not Phase.ENDED:
            record.progress = progress
            self._tell(record, pb.ExecuteResponse(progress=progress))
            if record.spec is not None:
                self._progressed(record.spec, progress)

    def printed(self, output: pb.Output) -> None:
        """Hear what it printed. Lines of an execution that nobody has asked for yet wait for its request, which says where they go."""
        record = self._records.get(output.execution_id) or self._acknowledged.get(output.execution_id)
        if record is None:
            return
        if record.spec is not None:
            self._write(record.spec, list(output.lines))
        else:
            record.unwritten = [*record.unwritten, output][-KEPT_UNASKED_OUTPUTS:]

    def ended(self, host: Host, result: pb.Result) -> None:
        """Hear a result."""
        known = self._records.get(result.execution_id)
        if known is None and result.execution_id in self._acknowledged:
            self._tell_acknowledged(self._acknowledged[result.execution_id])
            return
        record = known or self._brought(result.execution_id)
        record.host_id = record.host_id or host.id
        self._end(record, result)


async def _wait_for_result(queue: Queue) -> None:
    while (news := await queue.get()) is not None:
        if news.HasField("result"):
            return
    raise Stopping()

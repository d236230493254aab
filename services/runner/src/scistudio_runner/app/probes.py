"""Probes: questions to any worker host, asked again when it goes away before it answers."""

from __future__ import annotations

import asyncio

from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import new_id
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_runner.domain.hosts import Host
from scistudio_runner.errors import NoHost


class Probes:
    """Probes that wait for an answer.

    Parameters
    ----------
    hosts : dict
        The hosts as they are now.
    timeout_s : float
        How long a probe may take, from waiting for a host to the answer.
    """

    def __init__(self, hosts: dict[str, Host], *, timeout_s: float) -> None:
        self._hosts, self._timeout_s = hosts, timeout_s
        self._waiting: dict[str, tuple[pb.StartProbe, asyncio.Future[pb.ProbeResult]]] = {}

    async def probe(self, project_dir: str) -> str:
        """Return the catalog as JSON text. Raises what the host answered, or NoHost."""
        start = pb.StartProbe(probe_id=new_id(), project_dir=project_dir)
        answer: asyncio.Future[pb.ProbeResult] = asyncio.get_running_loop().create_future()
        self._waiting[start.probe_id] = (start, answer)
        try:
            connected = [host for host in self._hosts.values() if host.send is not None]
            if connected:
                self._send(min(connected, key=lambda host: len(host.executions)), start)
            result = await asyncio.wait_for(answer, self._timeout_s)
        except TimeoutError:
            raise NoHost(self._timeout_s) from None
        finally:
            del self._waiting[start.probe_id]
        if result.HasField("error"):
            error = result.error
            raise RemoteError(Kind.UNAVAILABLE, error.code, error.message, subject=error.subject, hint=error.hint)
        return result.catalog_json

    def host_came(self, host: Host) -> None:
        """Ask a host that has just connected what others have not answered yet; the first answer counts."""
        for start, _ in self._waiting.values():
            self._send(host, start)

    @staticmethod
    def _send(host: Host, start: pb.StartProbe) -> None:
        if host.send is not None:
            host.send(pb.ConnectResponse(probe=start))

    def answered(self, result: pb.ProbeResult) -> None:
        """Hear an answer."""
        if (waiting := self._waiting.get(result.probe_id)) is not None and not waiting[1].done():
            waiting[1].set_result(result)

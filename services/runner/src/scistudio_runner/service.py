"""Where the parts of the runner are made and joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scistudio_platform.events.bus import EventBus
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_proto.runner.v1.runner_pb2_grpc import add_RunnerServiceServicer_to_server, add_WorkerHostServiceServicer_to_server

from scistudio_runner.adapters.scheduler import SchedulerClient
from scistudio_runner.app.executions import Executions
from scistudio_runner.app.logs import LogBook
from scistudio_runner.app.news import News
from scistudio_runner.app.probes import Probes
from scistudio_runner.rpc import CONNECT, RunnerRpc, WorkerHostRpc
from scistudio_runner.settings import RunnerSettings

if TYPE_CHECKING:
    from prometheus_client.registry import Collector


def build(settings: RunnerSettings) -> Service:
    """Make and join the parts. Worker hosts are processes of their own, or ``scistudio_worker`` services in this one."""
    scheduler = SchedulerClient(settings)
    bus = EventBus(settings, required=False)
    logs = LogBook(scheduler.has_ended)
    news = News(bus, logs)
    executions = Executions(settings, logs.write, news.progressed)
    probes = Probes(executions.hosts, timeout_s=settings.probe_timeout_s)
    for_services, for_hosts = RunnerRpc(executions, logs, probes), WorkerHostRpc(settings, executions, probes)
    servicers: dict[Callable[..., None], object] = {
        add_RunnerServiceServicer_to_server: for_services,
        add_WorkerHostServiceServicer_to_server: for_hosts,
    }
    server = GrpcServer(settings, servicers, name="runner", admitting_themselves=[CONNECT], collector=lambda: _metrics(executions))
    # The last two end open streams before the server stops, which would wait for them.
    return Service("runner", parts=[scheduler, bus, logs, news, executions, server, for_hosts, for_services])


def _metrics(executions: Executions) -> Collector:
    from scistudio_runner.app.metrics import RunnerMetrics  # where metrics are served only

    return RunnerMetrics(executions)

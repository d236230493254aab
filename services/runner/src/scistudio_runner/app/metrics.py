"""What Prometheus sees of the runner, read when it asks: nothing is counted twice."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from scistudio_runner.app.executions import Executions


class RunnerMetrics(Collector):
    """Executions that ended, by outcome, and the hosts with what they do."""

    def __init__(self, executions: Executions) -> None:
        self._executions = executions

    def collect(self) -> Iterator[Metric]:
        """Give the figures of this moment."""
        ended = CounterMetricFamily("scistudio_executions", "Executions that ended, by outcome.", labels=["outcome"])
        for outcome, count in self._executions.n_ended.items():
            ended.add_metric([outcome], count)
        yield ended
        hosts = [host for host in self._executions.hosts.values() if host.send is not None]
        yield GaugeMetricFamily("scistudio_worker_hosts", "Worker hosts that are connected.", value=len(hosts))
        yield GaugeMetricFamily(
            "scistudio_worker_slots", "Executions that they can take at a time.", value=sum(host.slots for host in hosts)
        )
        busy = sum(len(host.executions) for host in hosts)
        yield GaugeMetricFamily("scistudio_worker_slots_busy", "Executions that they have now.", value=busy)

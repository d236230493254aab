"""What Prometheus sees of a server's calls. Imported only where metrics are served."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram


class CallMetrics:
    """Calls by method and outcome, in a registry of their own: several services live in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter("scistudio_rpc_calls", "Calls by method and outcome.", ["method", "code"], registry=self.registry)
        self._seconds = Histogram("scistudio_rpc_seconds", "Time to answer a unary call.", ["method"], registry=self.registry)

    def ended(self, method: str, code: str) -> None:
        """Count a call: ``code`` is "ok" or that of its error."""
        self._calls.labels(method, code).inc()

    def answered(self, method: str, seconds: float) -> None:
        """Note how long a unary call took."""
        self._seconds.labels(method).observe(seconds)

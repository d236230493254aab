"""Traces with OpenTelemetry. Where nobody asked for them, nothing is imported and spans cost nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


def is_configured() -> bool:
    """Whether spans go anywhere."""
    trace = sys.modules.get("opentelemetry.trace")
    return trace is not None and not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def setup_telemetry(service: str, endpoint: str | None) -> Callable[[], None]:
    """Send spans to ``endpoint`` (None: nowhere). Returns what sends the rest and ends it.

    Never called before a fork: the exporter runs a thread.
    """
    if endpoint is None:
        return lambda: None
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": f"scistudio-{service}"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, insecure=not endpoint.startswith("https"))))
    install(provider)
    return provider.shutdown


def install(provider: TracerProvider) -> None:
    """Make ``provider`` the process's. Tests hand in one with an in-memory exporter."""
    from opentelemetry import trace

    trace.set_tracer_provider(provider)


@contextmanager
def span(name: str, *, context: MutableMapping[str, str] | None = None, **attributes: Any) -> Iterator[None]:
    """Trace what happens inside, as a child of the current span or of the carried ``context``."""
    if not is_configured():
        yield
        return
    from opentelemetry import trace

    parent = extract(context) if context is not None else None
    with trace.get_tracer("scistudio").start_as_current_span(name, context=parent, attributes=attributes):
        yield


def inject(carrier: MutableMapping[str, str]) -> MutableMapping[str, str]:
    """Write the current trace context into ``carrier`` (`traceparent`) and return it."""
    if is_configured():
        from opentelemetry import propagate

        propagate.inject(carrier)
    return carrier


def extract(carrier: MutableMapping[str, str]) -> Any:
    """Return the trace context that ``carrier`` holds, for ``span`` and the OpenTelemetry API."""
    from opentelemetry import propagate

    return propagate.extract(carrier)

"""Structured logs: one JSON object a line, with service, run and block ids and the trace id."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextlib import AbstractContextManager
from typing import Any, Literal

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import Processor


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a service or a part of one: ``logger.info("what happened", key=value)``."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def bind_context(**ids: str) -> AbstractContextManager[None]:
    """Add ids (run, node, execution, project) to every line logged within this context."""
    return structlog.contextvars.bound_contextvars(**ids)


def _add_trace(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    trace = sys.modules.get("opentelemetry.trace")  # not imported: nobody traces
    if trace is not None and (context := trace.get_current_span().get_span_context()).is_valid:
        event["trace_id"] = f"{context.trace_id:032x}"
    return event


def _processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_trace,
    ]


def configure_logging(service: str, *, level: str = "info", log_format: Literal["json", "console"] = "json") -> None:
    """Send our own logs and those of libraries to standard error in one form. Called once a process."""

    def add_service(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event.setdefault("service", service)
        return event

    shared = [*_processors(), add_service]
    # Tracebacks without the values of local variables: tokens are among them.
    last: list[Processor] = [
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback),
    ]
    if log_format == "json":
        frames = ExceptionDictTransformer(show_locals=False)
        last = [structlog.processors.ExceptionRenderer(frames), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,  # a later call, as in a forked child, must win
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("nats", "uvicorn.access", "uvicorn.error", "httpcore2", "httpx2", "aiosqlite", "asyncio"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))

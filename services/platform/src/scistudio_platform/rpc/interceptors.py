"""What surrounds every call on the server's side: who may call, what is logged and counted, and how errors become a status."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any

import grpc
from pydantic import SecretStr

from scistudio_platform.errors import Kind, RemoteError, SciStudioError
from scistudio_platform.logging import get_logger
from scistudio_platform.rpc.status import to_status

if TYPE_CHECKING:
    from scistudio_platform.rpc.metrics import CallMetrics

HEALTH = "/grpc.health.v1.Health/"
OURS = "/scistudio."
Handler = Any  # grpc.RpcMethodHandler, a named tuple at run time


class Authentication(grpc.aio.ServerInterceptor):
    """Let only callers with the services' token in, on Unix sockets too. Health holds no data and is open.

    Methods in ``admitting_themselves`` (full paths) check their callers in their own way.
    """

    def __init__(self, token: SecretStr, admitting_themselves: Collection[str] = ()) -> None:
        self._open = frozenset(admitting_themselves)
        self._expected = f"Bearer {token.get_secret_value()}"

    async def intercept_service(self, continuation: Callable[..., Awaitable[Handler]], details: grpc.HandlerCallDetails) -> Handler:
        """Hand on, or refuse."""
        given = str(dict(details.invocation_metadata or ()).get("authorization", ""))
        is_open = details.method.startswith(HEALTH) or details.method in self._open
        if is_open or hmac.compare_digest(given.encode(), self._expected.encode()):
            return await continuation(details)

        async def refuse(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "The services' token is missing or wrong.")

        return grpc.unary_unary_rpc_method_handler(refuse)


class Observation(grpc.aio.ServerInterceptor):
    """Count and time each call, and turn what it raises into a status once and for all."""

    def __init__(self, service: str, metrics: CallMetrics | None) -> None:
        self._service, self._metrics = service, metrics

    async def intercept_service(self, continuation: Callable[..., Awaitable[Handler]], details: grpc.HandlerCallDetails) -> Handler:
        """Wrap our own methods; health and reflection stay as they are."""
        handler = await continuation(details)
        if handler is None or not details.method.startswith(OURS):
            return handler
        method = details.method.rpartition("/")[2]
        if handler.response_streaming:
            kind = "stream_stream" if handler.request_streaming else "unary_stream"
            return handler._replace(**{kind: self._streaming(method, getattr(handler, kind))})
        kind = "stream_unary" if handler.request_streaming else "unary_unary"
        return handler._replace(**{kind: self._unary(method, getattr(handler, kind))})

    def _unary(self, method: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def observed(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            started = time.perf_counter()
            try:
                answer = await call(request, context)
            except Exception as error:
                await self._abort(method, error, context)
                raise
            self._count(method, "ok")
            if self._metrics is not None:
                self._metrics.answered(method, time.perf_counter() - started)
            return answer

        return observed

    def _streaming(self, method: str, call: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def observed(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            try:
                async for answer in call(request, context):
                    yield answer
            except (GeneratorExit, asyncio.CancelledError):
                raise
            except Exception as error:
                await self._abort(method, error, context)
                raise
            self._count(method, "ok")

        return observed

    def _count(self, method: str, code: str) -> None:
        if self._metrics is not None:
            self._metrics.ended(method, code)

    async def _abort(self, method: str, error: Exception, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        if not isinstance(error, SciStudioError):
            get_logger(self._service).error("call failed", method=method, exc_info=error)
            hint = f"This is a fault of SciStudio: the {self._service} service's log has the details."
            error = RemoteError(Kind.INTERNAL, "internal", f"An internal error in the {self._service} service.", hint=hint)
        self._count(method, error.code)
        await context.abort_with_status(to_status(error))

"""Clients of other services: every call has a deadline and the token, and errors come out as ours."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, TypeVar

import grpc

from scistudio_platform.rpc.server import MESSAGE_LIMIT_BYTES, METADATA_LIMIT_BYTES
from scistudio_platform.rpc.status import from_rpc_error
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.telemetry import is_configured

StubT = TypeVar("StubT")
Details = Any  # grpc.aio.ClientCallDetails, a named tuple
RETRY_PAUSE_S = 0.05
STREAM_TIMEOUT_S = 3600.0  # who follows longer asks again: a stream whose other end froze is noticed so
CONCURRENT_CALLS = 256  # beyond about 1,200 calls in flight on one channel some end CANCELLED for no other reason
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.initial_reconnect_backoff_ms", 20),  # a service comes back within 0.1 s of its restart
    ("grpc.min_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 100),
    ("grpc.max_receive_message_length", MESSAGE_LIMIT_BYTES),
    ("grpc.max_send_message_length", MESSAGE_LIMIT_BYTES),
    ("grpc.max_metadata_size", METADATA_LIMIT_BYTES),
    ("grpc.absolute_max_metadata_size", 2 * METADATA_LIMIT_BYTES),
]


class _Calls:
    """What the four kinds of call share: the token in the metadata, and the error's translation."""

    def __init__(self, service: str, token: str, timeout_s: float) -> None:
        self._service, self._authorization, self._timeout_s = service, f"Bearer {token}", timeout_s

    def _with_token(self, details: Details, **changes: Any) -> Details:
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        metadata.add("authorization", self._authorization)
        return details._replace(metadata=metadata, **changes)

    def _translated(self, error: grpc.aio.AioRpcError, details: Details) -> Exception:
        return from_rpc_error(error, service=self._service, method=_method(details))


def _method(details: Details) -> str:
    name = details.method.decode() if isinstance(details.method, bytes) else details.method
    return str(name).rpartition("/")[2]


class _UnaryCalls(_Calls, grpc.aio.UnaryUnaryClientInterceptor):
    """Unary calls wait for a service that is being restarted, and are repeated when it dies under them, unless they create something."""

    def __init__(self, service: str, token: str, timeout_s: float) -> None:
        super().__init__(service, token, timeout_s)
        self._in_flight = asyncio.Semaphore(CONCURRENT_CALLS)

    async def intercept_unary_unary(self, continuation: Callable[..., Awaitable[Any]], details: Details, request: Any) -> Any:
        """Call, and call again while that is safe and there is time."""
        deadline = time.monotonic() + (details.timeout or self._timeout_s)
        repeatable = not _method(details).startswith("Create")
        async with self._in_flight:
            while True:
                remaining = max(0.001, deadline - time.monotonic())
                try:
                    call = await continuation(self._with_token(details, timeout=remaining, wait_for_ready=True), request)
                    return await call
                except grpc.aio.AioRpcError as error:
                    lost = error.code() is grpc.StatusCode.UNAVAILABLE and not error.trailing_metadata()
                    if not (lost and repeatable and remaining > 2 * RETRY_PAUSE_S):
                        raise self._translated(error, details) from None
                await asyncio.sleep(RETRY_PAUSE_S)


class _StreamedAnswers(_Calls, grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation: Callable[..., Awaitable[Any]], details: Details, request: Any) -> Any:
        call = await continuation(self._with_token(details, timeout=details.timeout or STREAM_TIMEOUT_S), request)
        return self._answers(call, details)

    async def _answers(self, call: Any, details: Details) -> AsyncIterator[Any]:
        try:
            async for answer in call:
                yield answer
        except grpc.aio.AioRpcError as error:
            raise self._translated(error, details) from None
        finally:
            call.cancel()


class _StreamedBothWays(_Calls, grpc.aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(self, continuation: Callable[..., Awaitable[Any]], details: Details, requests: Any) -> Any:
        call = await continuation(self._with_token(details, timeout=details.timeout or STREAM_TIMEOUT_S), requests)
        return self._answers(call, details)

    async def _answers(self, call: Any, details: Details) -> AsyncIterator[Any]:
        try:
            async for answer in call:
                yield answer
        except grpc.aio.AioRpcError as error:
            raise self._translated(error, details) from None
        finally:
            call.cancel()


class RpcClient(Generic[StubT]):
    """A channel to another service and its stub. A part: started before use, stopped with its service.

    Errors come out as ``RemoteError`` with the kind, code, message, subject and hint that the other service gave.
    A unary call without a timeout gets ``timeout_s``; a stream without one ends after an hour with a TIMEOUT error.
    """

    def __init__(self, settings: ServiceSettings, service: str, stub: Callable[[Any], StubT], *, timeout_s: float = 10.0) -> None:
        self._settings, self._service, self._make_stub, self._timeout_s = settings, service, stub, timeout_s
        self._channel: grpc.aio.Channel | None = None
        self._stub: StubT | None = None

    @property
    def stub(self) -> StubT:
        """The generated stub; calls on it are coroutines and asynchronous iterators."""
        assert self._stub is not None, f"the client of {self._service} has not been started"
        return self._stub

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel, for the health service."""
        assert self._channel is not None, f"the client of {self._service} has not been started"
        return self._channel

    async def start(self) -> None:
        """Make the channel. Nothing is sent: the other service may come up later."""
        shared = (self._service, self._settings.token.get_secret_value(), self._timeout_s)
        interceptors: list[Any] = [_UnaryCalls(*shared), _StreamedAnswers(*shared), _StreamedBothWays(*shared)]
        if is_configured():
            from opentelemetry.instrumentation.grpc import aio_client_interceptors

            interceptors += aio_client_interceptors()
        self._channel = grpc.aio.insecure_channel(self._settings.target(self._service), options=OPTIONS, interceptors=interceptors)
        self._stub = self._make_stub(self._channel)

    async def stop(self) -> None:
        """Close the channel; calls on it end."""
        if self._channel is not None:
            await self._channel.close()

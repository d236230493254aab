"""The gRPC server of a service: sockets, health, reflection, authentication, logs, traces and errors; its own code is only its domain."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.http import ASGIApp, HttpServer, service_app
from scistudio_platform.rpc.interceptors import Authentication, Observation
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.telemetry import is_configured

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from scistudio_platform.rpc.metrics import CallMetrics

MESSAGE_LIMIT_BYTES = 64 * 1024 * 1024
METADATA_LIMIT_BYTES = 32 * 1024
STOP_GRACE_S = 1.0
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.so_reuseport", 0),  # else two servers can share a port without a word
    ("grpc.max_receive_message_length", MESSAGE_LIMIT_BYTES),
    ("grpc.max_send_message_length", MESSAGE_LIMIT_BYTES),
    ("grpc.max_metadata_size", METADATA_LIMIT_BYTES),
    ("grpc.absolute_max_metadata_size", 2 * METADATA_LIMIT_BYTES),
]


class AddressInUse(SciStudioError):
    """Another server listens there."""

    kind, code = Kind.CONFLICT, "address.in_use"

    def __init__(self, address: str) -> None:
        super().__init__(f"Another server already listens on {address}.", subject=address, hint="Stop it, or choose another run directory.")


class AddressUnusable(SciStudioError):
    """Nothing can listen there."""

    kind, code = Kind.INVALID, "address.unusable"


class SocketLock:
    """The lock file beside a Unix socket: gRPC binds over a live socket without a word, and the first server hears nothing more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Take the lock and remove the socket that a dead server left."""
        file = self._path.with_name(f"{self._path.name}.lock").open("a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise AddressInUse(f"unix:{self._path}") from None
        self._file = file
        self._path.unlink(missing_ok=True)

    def make_socket_private(self) -> None:
        """Let only this user connect, wherever the folder lies."""
        self._path.chmod(0o600)

    def release(self) -> None:
        """Give the lock back; the file stays, since removing it would let two servers lock different files."""
        if self._file is not None:
            self._file.close()
            self._file = None


class GrpcServer:
    """A service's gRPC server, with its HTTP side for health and metrics where settings ask for one.

    Parameters
    ----------
    settings : ServiceSettings
        Where to listen, and the token that callers must show.
    servicers : mapping
        Of generated ``add_…Servicer_to_server`` functions to servicers.
    name : str
        The service's name, also of its socket.
    http_app : ASGI application, optional
        What the HTTP side serves beside ``/healthz`` and ``/metrics``.
    admitting_themselves : collection of str
        Full paths of methods that check their callers in their own way, without the services' token.
    collector : callable, optional
        Makes the collector of the service's own metrics; called only where metrics are served.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        servicers: Mapping[Callable[..., None], object],
        *,
        name: str,
        http_app: ASGIApp | None = None,
        admitting_themselves: Collection[str] = (),
        collector: Callable[[], Collector] | None = None,
    ) -> None:
        self._authentication = Authentication(settings.token, admitting_themselves)
        self._settings, self._servicers, self._name, self._http_app = settings, servicers, name, http_app
        self.address = settings.listen_address(name)
        self._metrics = _make_metrics(collector) if settings.http_address(name) is not None else None
        self._observation = Observation(name, self._metrics)
        self._lock: SocketLock | None = None
        self._server: grpc.aio.Server | None = None
        self._health: health.aio.HealthServicer | None = None
        self._http: HttpServer | None = None

    async def start(self) -> None:
        """Listen and answer; health says SERVING from here on."""
        if self.address.startswith("unix:"):
            self._lock = SocketLock(Path(self.address.removeprefix("unix:")))
            self._lock.take()
        self._server = self._make_server()
        try:
            self._server.add_insecure_port(self.address)
        except RuntimeError as error:
            raise AddressUnusable(f"Nothing can listen on {self.address}: {error}", subject=self.address) from error
        if self._lock is not None:
            self._lock.make_socket_private()
        await self._server.start()
        address = self._settings.http_address(self._name)
        if self._metrics is not None and address is not None:
            app = service_app(self._metrics.registry, token=self._settings.token, inner=self._http_app)
            self._http = HttpServer(app, address)
            await self._http.start()

    def _make_server(self) -> grpc.aio.Server:
        interceptors: list[Any] = [self._observation, self._authentication]
        if is_configured():
            from opentelemetry.instrumentation.grpc import aio_server_interceptor, filters

            interceptors.insert(0, aio_server_interceptor(filter_=filters.negate(filters.health_check())))
        server = grpc.aio.server(interceptors=interceptors, options=OPTIONS)
        names = [reflection.SERVICE_NAME, health.SERVICE_NAME]
        for add, servicer in self._servicers.items():
            add(servicer, server)
            names += _service_names(servicer)
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection(names, server)
        return server

    async def set_serving(self, serving: bool) -> None:
        """Change what health answers, for a service that is up and cannot work."""
        if self._health is not None:
            state = health_pb2.HealthCheckResponse
            await self._health.set("", state.SERVING if serving else state.NOT_SERVING)

    async def stop(self) -> None:
        """Refuse new calls, give running ones a moment, and stop."""
        if self._http is not None:
            await self._http.stop()
        if self._health is not None:
            await self._health.enter_graceful_shutdown()
        if self._server is not None:
            await self._server.stop(STOP_GRACE_S)
        if self._lock is not None:
            self._lock.release()


def _make_metrics(collector: Callable[[], Collector] | None) -> CallMetrics:
    from scistudio_platform.rpc.metrics import CallMetrics  # a headless run serves no metrics

    metrics = CallMetrics()
    if collector is not None:
        metrics.registry.register(collector())
    return metrics


def _service_names(servicer: object) -> list[str]:
    """Full names of the services that a servicer implements, for reflection."""
    from google.protobuf import descriptor_pool

    names = []
    for base in type(servicer).__mro__:
        module = base.__module__.removeprefix("scistudio_proto.")
        if base.__name__.endswith("Servicer") and base.__module__.endswith("_pb2_grpc"):
            package = module.rpartition(".")[0]
            name = f"scistudio.{package}.{base.__name__.removesuffix('Servicer')}"
            descriptor_pool.Default().FindServiceByName(name)
            names.append(name)
    return names

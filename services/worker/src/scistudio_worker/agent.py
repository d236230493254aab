"""The worker host's line to its runner: opened by us, opened again within a second of the runner's return."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import grpc
from scistudio_platform.logging import get_logger
from scistudio_platform.rpc.client import OPTIONS
from scistudio_platform.rpc.status import from_rpc_error
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.runner.v1 import runner_pb2_grpc as rpc

from scistudio_worker.host import WorkerHost
from scistudio_worker.settings import WorkerSettings

AGAIN_S = 0.1
SILENT_BEATS = 5
REFUSED_AGAIN_S = 2.0
logger = get_logger("worker")


class Agent:
    """A part: connects a worker host to its runner.

    Parameters
    ----------
    host : WorkerHost
        Does what the runner asks.
    """

    def __init__(self, settings: WorkerSettings, host: WorkerHost) -> None:
        self._settings, self._host = settings, host
        self._credential = ""
        self._channel: grpc.aio.Channel | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to connect; the runner may come up later."""
        self._channel = grpc.aio.insecure_channel(self._settings.target("runner"), options=OPTIONS)
        self._task = asyncio.get_running_loop().create_task(self._stay_connected(rpc.WorkerHostServiceStub(self._channel)))

    async def stop(self) -> None:
        """Hang up."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._channel is not None:
            await self._channel.close()

    async def _stay_connected(self, stub: Any) -> None:
        while True:
            pause_s = AGAIN_S
            try:
                await self._converse(stub)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    reason = from_rpc_error(error, service="runner", method="Connect")
                    logger.error("the runner does not take us", code=reason.code, message=reason.message, hint=reason.hint)
                    pause_s = REFUSED_AGAIN_S
            except Exception:  # a host that is alone for ever would be worse than a fault that comes again
                logger.exception("the conversation with the runner failed")
                pause_s = REFUSED_AGAIN_S
            finally:
                self._host.detach()
            await asyncio.sleep(pause_s)

    async def _converse(self, stub: Any) -> None:
        """One connection, from hello to its end."""
        call = stub.Connect(metadata=self._metadata(), wait_for_ready=True)
        outgoing: asyncio.Queue[pb.ConnectRequest] = asyncio.Queue()
        writer: asyncio.Task[None] | None = None
        beating: asyncio.Task[None] | None = None
        try:
            await call.write(pb.ConnectRequest(hello=self._hello()))
            welcome = await call.read()
            if welcome is grpc.aio.EOF:
                await _raise_status(call)
                return
            self._credential = welcome.welcome.credential
            self._host.attach(outgoing.put_nowait)
            heartbeat_s = welcome.welcome.heartbeat_s
            writer = asyncio.get_running_loop().create_task(_write(call, outgoing))
            beating = asyncio.get_running_loop().create_task(_beat(outgoing, heartbeat_s))
            logger.info("connected to the runner", host=self._host.id)
            while (message := await asyncio.wait_for(call.read(), SILENT_BEATS * heartbeat_s)) is not grpc.aio.EOF:
                self._obey(message)
            await _raise_status(call)
        except TimeoutError:
            logger.warning("the runner is silent; connecting anew")
        finally:
            for task in (writer, beating):
                if task is not None:
                    task.cancel()
            call.cancel()

    def _metadata(self) -> grpc.aio.Metadata:
        token = self._settings.token.get_secret_value()
        return grpc.aio.Metadata(("authorization", f"Bearer {token}")) if token else grpc.aio.Metadata()

    def _hello(self) -> pb.Hello:
        hello = self._host.hello()
        hello.credential = self._credential
        if not self._credential:
            hello.enrolment_token = self._settings.enrolment_token.get_secret_value()
        return hello

    def _obey(self, message: pb.ConnectResponse) -> None:
        match message.WhichOneof("message"):
            case "execution":
                self._host.execute(message.execution)
            case "cancel":
                self._host.cancel(message.cancel.execution_id, message.cancel.reason)
            case "acknowledge":
                self._host.acknowledge(message.acknowledge.execution_id)
            case "probe":
                self._host.probe(message.probe.probe_id, message.probe.project_dir)


async def _write(call: Any, outgoing: asyncio.Queue[pb.ConnectRequest]) -> None:
    """Send what the host says."""
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the reader sees the end too, and its reason
        while True:
            await call.write(await outgoing.get())


async def _beat(outgoing: asyncio.Queue[pb.ConnectRequest], heartbeat_s: float) -> None:
    """Give a sign of life from time to time; the runner answers each, so that both sides find out about a line that is dead."""
    while True:
        await asyncio.sleep(heartbeat_s)
        outgoing.put_nowait(pb.ConnectRequest(heartbeat=pb.Heartbeat()))


async def _raise_status(call: Any) -> None:
    """Raise what ended the stream, if it was an error."""
    code = await call.code()
    if code is not grpc.StatusCode.OK:
        raise grpc.aio.AioRpcError(code, await call.initial_metadata(), await call.trailing_metadata(), details=await call.details())

"""The parts of the gateway, made and joined."""

from __future__ import annotations

import socket

from scistudio_platform.events.bus import EventBus
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service

from scistudio_gateway.adapters.backends import connect
from scistudio_gateway.app import create_app
from scistudio_gateway.rest.streams import OpenStreams
from scistudio_gateway.settings import GatewaySettings
from scistudio_gateway.web.mcp import McpUpstream
from scistudio_gateway.web.server import PublicServer


def build(settings: GatewaySettings, *, sock: socket.socket | None = None) -> Service:
    """Make and join the parts. Nothing connects, listens or touches an event loop before ``Service.start``.

    ``sock`` already listens; without it the gateway listens where ``settings`` say. It serves while other services or the event bus are
    down: its health says so.
    """
    backends, bus, mcp = connect(settings), EventBus(settings, required=False), McpUpstream(settings)
    streams = OpenStreams(heartbeat_s=settings.heartbeat_s, slow_client_s=settings.slow_client_s)
    app = create_app(settings, backends=backends, bus=bus, mcp=mcp, streams=streams)
    public = PublicServer(app, settings.public_address, sock, streams)
    own = GrpcServer(settings, {}, name="gateway")  # health and metrics, as every service has them
    return Service("gateway", parts=[*backends.clients.values(), bus, mcp, own, public])

"""The panels service, made and joined."""

from __future__ import annotations

from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_proto.panels.v1.panels_pb2_grpc import add_PanelsServiceServicer_to_server

from scistudio_panels.rpc import PanelsRpc
from scistudio_panels.settings import PanelsSettings
from scistudio_panels.sources import Sources


def build(settings: PanelsSettings) -> Service:
    """Make and join the parts."""
    sources = Sources(settings)
    rpc = GrpcServer(settings, {add_PanelsServiceServicer_to_server: PanelsRpc(sources)}, name="panels")
    return Service("panels", [sources, rpc])

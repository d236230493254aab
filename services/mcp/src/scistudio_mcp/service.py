"""The mcp service, made and joined."""

from __future__ import annotations

from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_proto.mcp.v1.mcp_pb2_grpc import add_McpServiceServicer_to_server

from scistudio_mcp.on_demand import OnDemand
from scistudio_mcp.rpc import McpRpc
from scistudio_mcp.services import Services
from scistudio_mcp.settings import McpSettings


def build(settings: McpSettings) -> Service:
    """Make and join the parts.

    Sessions over HTTP keep no state here, so that a restart costs an agent nothing: the project is in the address (``/mcp?project=…``).
    """
    services = Services(settings)
    on_demand = OnDemand(services)
    rpc = GrpcServer(settings, {add_McpServiceServicer_to_server: McpRpc(on_demand)}, name="mcp", http_app=on_demand)
    return Service("mcp", [services, on_demand, rpc])

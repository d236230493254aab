"""What other services ask about the tools."""

from __future__ import annotations

import json
from typing import Any

import grpc
from scistudio_proto.mcp.v1 import mcp_pb2 as pb
from scistudio_proto.mcp.v1.mcp_pb2_grpc import McpServiceServicer

from scistudio_mcp.on_demand import OnDemand


class McpRpc(McpServiceServicer):
    """Proto in, one call, proto out."""

    def __init__(self, on_demand: OnDemand) -> None:
        self._on_demand = on_demand

    async def ListTools(self, request: pb.ListToolsRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.ListToolsResponse:
        server = await self._on_demand.server()
        tools = [
            pb.Tool(
                name=tool.name,
                description=tool.description or "",
                input_schema_json=json.dumps(tool.parameters),
                read_only="read" in tool.tags,
                tags=sorted(tool.tags),
            )
            for tool in await server.list_tools()
        ]
        return pb.ListToolsResponse(tools=tools)

"""What other services ask about the tools."""

from __future__ import annotations

import json
from typing import Any

import grpc
from fastmcp import FastMCP
from scistudio_proto.mcp.v1 import mcp_pb2 as pb
from scistudio_proto.mcp.v1.mcp_pb2_grpc import McpServiceServicer


class McpRpc(McpServiceServicer):
    """Proto in, one call, proto out."""

    def __init__(self, server: FastMCP) -> None:
        self._server = server

    async def ListTools(self, request: pb.ListToolsRequest, context: grpc.aio.ServicerContext[Any, Any]) -> pb.ListToolsResponse:
        tools = [
            pb.Tool(
                name=tool.name,
                description=tool.description or "",
                input_schema_json=json.dumps(tool.parameters),
                read_only="read" in tool.tags,
                tags=sorted(tool.tags),
            )
            for tool in await self._server.list_tools()
        ]
        return pb.ListToolsResponse(tools=tools)

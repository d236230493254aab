"""Tools about the blocks and types that workflows may use."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastmcp import FastMCP
from pydantic import Field
from scistudio_platform.errors import Kind, RemoteError
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_mcp.results import BlockItem, Blocks, BlockSchema
from scistudio_mcp.services import Services

IO_GUIDANCE = (
    "Read files with load_data and write them with save_data: set core_type to the data type and path to the file; "
    "use another loader or saver only when no core type fits."
)


def _ports(ports: Any) -> str:
    return ", ".join(f"{port.name}{'' if port.required else '?'}: {' | '.join(port.accepted_types) or 'any'}" for port in ports)


def _item(block: pb.BlockSpec) -> BlockItem:
    return BlockItem(
        type_name=block.type_name,
        name=block.name,
        base_category=block.base_category,
        subcategory=block.subcategory,
        package_name=block.package_name,
        description=block.description,
        signature=f"({_ports(block.input_ports)}) -> ({_ports(block.output_ports)})",
    )


def _port(port: pb.Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "types": list(port.accepted_types),
        "required": port.required,
        "is_collection": port.is_collection,
        "description": port.description,
    }


def register(server: FastMCP, services: Services) -> None:
    """Register ``list_blocks`` and ``get_block_schema``."""

    async def catalog() -> pb.GetCatalogResponse:
        return await services.workflow.GetCatalog(pb.GetCatalogRequest(project_id=await services.project_id()))

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def list_blocks() -> Blocks:
        """List the blocks that workflows of this project may use."""
        answer = await catalog()
        failures = [{"file_path": fault.file_path, "error_type": fault.error_type, "message": fault.message} for fault in answer.failures]
        items = [_item(block) for block in answer.blocks]
        step = "Call get_block_schema for ports and configuration of a block you want to use."
        return Blocks(blocks=items, count=len(items), failures=failures, next_step=step, io_block_guidance=IO_GUIDANCE)

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def get_block_schema(type_name: Annotated[str, Field(description="A type_name of list_blocks.")]) -> BlockSchema:
        """Ports and configuration schema of one block type."""
        block = next((block for block in (await catalog()).blocks if block.type_name == type_name), None)
        if block is None:
            hint = "list_blocks shows the types there are."
            raise RemoteError(
                Kind.NOT_FOUND, "block.unknown", f"There is no block type {type_name!r}.", subject=f"block/{type_name}", hint=hint
            )
        metadata = {"version": block.version, "execution_mode": block.execution_mode, "source": block.source}
        if block.format_capabilities_json:
            metadata["format_capabilities"] = json.loads(block.format_capabilities_json)
        ports = {"inputs": [_port(port) for port in block.input_ports], "outputs": [_port(port) for port in block.output_ports]}
        return BlockSchema(type_name=type_name, ports=ports, config_schema=json.loads(block.config_schema_json or "{}"), metadata=metadata)

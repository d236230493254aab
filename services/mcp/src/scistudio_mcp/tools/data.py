"""Tools that look at data: always bounded, never a whole payload."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastmcp import FastMCP
from pydantic import Field
from scistudio_platform.clock import from_timestamp
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb

from scistudio_mcp.errors import BadReference, NoSuchOutput
from scistudio_mcp.previews import FORMATS, read_preview
from scistudio_mcp.results import BlockOutput, OutputType, Preview, Reference
from scistudio_mcp.services import Services
from scistudio_mcp.tools.runs import RunArgument, find_node, find_run

ITEMS_SHOWN = 100


def _items(value: Any) -> list[dict[str, Any]]:
    return list(value["items"]) if isinstance(value, dict) and value.get("_collection") else [value]


def _reference(item: dict[str, Any]) -> Reference:
    return Reference(backend=item.get("backend"), path=item.get("path"), format=item.get("format"), metadata=item.get("metadata") or {})


def register(server: FastMCP, services: Services) -> None:
    """Register ``get_block_output``, ``inspect_data`` and ``preview_data``."""

    @server.tool(tags={"category:inspection", "read"}, annotations={"readOnlyHint": True})
    async def get_block_output(run_id: RunArgument, block_id: str, port: str) -> BlockOutput:
        """References of what a block put on one output port."""
        project_id = await services.project_id()
        run = await find_run(services, project_id, run_id)
        node = find_node(run, block_id)
        request = pb.GetOutputRequest(project_id=project_id, run_id=run.id, node_id=block_id, port=port)
        items = _items(json.loads((await services.scheduler.GetOutput(request)).value.value_json))
        if not items:
            raise NoSuchOutput(f"Output {port!r} of {block_id!r} is an empty collection.", subject=f"run/{run.id}/node/{block_id}")
        refs = [_reference(item) for item in items[:ITEMS_SHOWN]]
        chain = refs[0].metadata.get("type_chain", ["DataObject"])
        ended = from_timestamp(node.ended_at)
        return BlockOutput(
            ref=refs[0],
            refs=refs,
            n_items=len(items),
            type=OutputType(type_chain=chain, type_name=chain[-1]),
            produced_at=ended.isoformat() if ended else None,
        )

    @server.tool(tags={"category:inspection", "read"}, annotations={"readOnlyHint": True})
    async def inspect_data(ref: Annotated[Reference, Field(description="A ref of get_block_output.")]) -> dict[str, Any]:
        """Header of an object: types, metadata, where it is stored; no payload."""
        known = {"type_chain", "framework", "user", "meta"}
        return {
            "backend": ref.backend,
            "path": ref.path,
            "format": ref.format,
            "type_chain": ref.metadata.get("type_chain", []),
            "framework": ref.metadata.get("framework", {}),
            "user_metadata": ref.metadata.get("user", {}),
            "metadata": ref.metadata.get("meta"),
            "metadata_store": {key: value for key, value in ref.metadata.items() if key not in known},
        }

    @server.tool(tags={"category:inspection", "read"}, annotations={"readOnlyHint": True})
    async def preview_data(
        ref: Annotated[Reference, Field(description="A ref of get_block_output.")],
        fmt: Annotated[str, Field(description=f"A hint: {', '.join(FORMATS)}. Empty: by the data's type.")] = "",
    ) -> Preview:
        """Look at data: at most 100 table rows, a 256 x 256 picture, or 4,096 characters."""
        if fmt and fmt not in FORMATS:
            raise BadReference(f"There is no preview format {fmt!r}.", hint=f"Choose one of {', '.join(FORMATS)}, or leave it out.")
        return await read_preview(services.panels, await services.project_id(), ref, fmt)

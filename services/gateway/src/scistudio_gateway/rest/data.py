"""Bounded reads of what blocks made, handed on from the panels service part by part."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, StringConstraints
from scistudio_proto.panels.v1 import panels_pb2 as pb
from scistudio_proto.scheduler.v1 import scheduler_pb2

from scistudio_gateway.adapters.backends import Backends
from scistudio_gateway.domain.exact_json import ascii_json, read_json
from scistudio_gateway.domain.outputs import ItemKind, port_content
from scistudio_gateway.errors import EmptyRead, HeaderTooLarge
from scistudio_gateway.rest.representations import (
    INT64,
    IndexPath,
    Json,
    LimitQuery,
    NodePath,
    Page,
    PortPath,
    ProjectPath,
    Representation,
    RunPath,
    Services,
)

router = APIRouter(tags=["data"])
OUTPUT = "/projects/{project}/runs/{run}/nodes/{node}/outputs/{port}"
READ_TIMEOUT_S = 300.0  # of the whole answer, which a slow caller draws out
HEADER_LIMIT_BYTES = 48 * 1024
ARRAY, ARROW, TEXT = "application/vnd.scistudio.array", "application/vnd.apache.arrow.stream", "text/plain; charset=utf-8"


class OutputItem(Representation):
    """One item on an output port."""

    index: int
    name: str
    type_name: str
    type_chain: list[str] = Field(description="Most general first.")
    kind: ItemKind
    summary: str = Field(description="One line about it.")


class OutputPage(Page[OutputItem]):
    """Items on an output port, in order."""

    port: str
    type_name: str = Field(description="Name of the items' type.")
    n_items: int


def binary(media_type: str, about: str) -> dict[int | str, dict[str, Any]]:
    """Declare a body that is not JSON, and the header that says what it is."""
    header = {"description": f"JSON: {about}. Integers beyond 2^53 are strings.", "schema": {"type": "string"}}
    schema = {"type": "string", "format": "binary"}
    return {200: {"content": {media_type: {"schema": schema}}, "headers": {"SciStudio-Data": header}, "description": "The body."}}


@router.get(OUTPUT)
async def list_output_items(
    project: ProjectPath,
    run: RunPath,
    node: NodePath,
    port: PortPath,
    services: Services,
    cursor: Annotated[str, Query(pattern=r"^\d{0,9}$", description="`next_cursor` of the page before; empty for the first.")] = "",
    limit: LimitQuery = 100,
) -> OutputPage:
    """What lies on an output port."""
    request = scheduler_pb2.GetOutputRequest(project_id=project, run_id=run, node_id=node, port=port)
    content = port_content(read_json((await services.scheduler.stub.GetOutput(request)).value.value_json))
    start = int(cursor or 0)
    items = [OutputItem.model_validate(item, from_attributes=True) for item in content.items(start, start + limit)]
    more = start + limit < len(content.wires)
    return OutputPage(
        port=port, type_name=content.type_name, n_items=len(content.wires), items=items, next_cursor=str(start + limit) if more else None
    )


@router.get(OUTPUT + "/{index}")
async def describe_outputoutput_item(
    project: ProjectPath, run: RunPath, node: NodePath, port: PortPath, index: IndexPath, services: Services
) -> dict[str, Json]:
    """What an item is, without its payload."""
    request = pb.ReadRequest(project_id=project, output=output_item(run, node, port, index), describe=pb.DescribeRead())
    header, parts = await read(services, request)
    async for _ in parts:  # a description has no body; the call ends here
        pass
    description: dict[str, Json] = read_json(header.metadata_json, {})
    return description


@router.get(
    OUTPUT + "/{index}/array", response_class=Response, responses=binary(ARRAY, "shape, dtype, axes, full_shape, origin, step, vmin, vmax")
)
async def read_array(
    project: ProjectPath,
    run: RunPath,
    node: NodePath,
    port: PortPath,
    index: IndexPath,
    services: Services,
    y: Annotated[int, Query(ge=0, le=INT64)] = 0,
    x: Annotated[int, Query(ge=0, le=INT64)] = 0,
    height: Annotated[int, Query(ge=0, le=INT64, description="In pixels of the array; 0: to the edge.")] = 0,
    width: Annotated[int, Query(ge=0, le=INT64)] = 0,
    max_side: Annotated[int, Query(ge=0, le=2048, description="Most pixels a side, by striding; 0: 512.")] = 0,
    at: Annotated[
        list[Annotated[str, StringConstraints(pattern=r"^.+:\d{1,18}$")]],
        Query(alias="index", description="`axis:n`, the place on another axis; repeatable."),
    ] = [],  # noqa: B006  # FastAPI copies defaults
) -> StreamingResponse:
    """A rectangle of an array: raw values, little-endian, in C order."""
    indices = {axis: int(place) for axis, _, place in (one.rpartition(":") for one in at)}
    read = pb.ArrayRead(indices=indices, y=y, x=x, height=height, width=width, max_side=max_side)
    return await _answer(services, pb.ReadRequest(project_id=project, output=output_item(run, node, port, index), array=read))


@router.get(OUTPUT + "/{index}/table", response_class=Response, responses=binary(ARROW, "total_rows, columns [{name, type}], offset"))
async def read_table(
    project: ProjectPath,
    run: RunPath,
    node: NodePath,
    port: PortPath,
    index: IndexPath,
    services: Services,
    offset: Annotated[int, Query(ge=0, le=INT64)] = 0,
    limit: Annotated[int, Query(ge=0, le=10_000, description="Most rows; 0: 100.")] = 0,
    column: Annotated[list[str], Query(description="Repeatable; none: the first 100.")] = [],  # noqa: B006  # FastAPI copies defaults
) -> StreamingResponse:
    """Rows of a table, as an Arrow IPC stream."""
    read = pb.TableRead(offset=offset, limit=limit, columns=column)
    return await _answer(services, pb.ReadRequest(project_id=project, output=output_item(run, node, port, index), table=read))


@router.get(OUTPUT + "/{index}/text", response_class=Response, responses=binary(TEXT, "total_bytes, truncated"))
async def read_text(
    project: ProjectPath,
    run: RunPath,
    node: NodePath,
    port: PortPath,
    index: IndexPath,
    services: Services,
    offset: Annotated[int, Query(ge=0, le=INT64, description="In bytes.")] = 0,
    limit: Annotated[int, Query(ge=0, le=1 << 20, description="Most bytes; 0: 65,536.")] = 0,
) -> StreamingResponse:
    """A piece of a text."""
    read = pb.TextRead(offset=offset, limit=limit)
    return await _answer(services, pb.ReadRequest(project_id=project, output=output_item(run, node, port, index), text=read))


def output_item(run: str, node: str, port: str, index: int) -> pb.OutputItem:
    """Return the item that a path names."""
    return pb.OutputItem(run_id=run, node_id=node, port=port, index=index)


async def read(services: Backends, request: pb.ReadRequest) -> tuple[pb.ReadHeader, AsyncIterator[bytes]]:
    """Return the header, and the parts of the body still to come; what goes wrong before them becomes a status."""
    call = services.panels.stub.Read(request, timeout=READ_TIMEOUT_S)
    answers = aiter(call)
    first = await anext(answers, None)
    if first is None:
        raise EmptyRead

    async def parts() -> AsyncIterator[bytes]:
        try:
            async for answer in answers:
                yield answer.body
        finally:
            call.cancel()  # the caller may have gone in the middle

    return first.header, parts()


async def _answer(services: Backends, request: pb.ReadRequest) -> StreamingResponse:
    header, parts = await read(services, request)
    metadata = ascii_json(read_json(header.metadata_json, {}))
    if len(metadata) > HEADER_LIMIT_BYTES:
        raise HeaderTooLarge(len(metadata))
    media_type = header.media_type or "application/octet-stream"  # as a header: the framework would guess at the charset of a text
    return StreamingResponse(parts, headers={"Content-Type": media_type, "SciStudio-Data": metadata})

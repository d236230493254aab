"""Files that blocks made, whole, read piece by piece: as much of them is in memory as is being sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_gateway.adapters.backends import Backends
from scistudio_gateway.domain.exact_json import ascii_json, read_json
from scistudio_gateway.errors import EmptyRead
from scistudio_gateway.rest.data import OUTPUT, binary, output_item, read
from scistudio_gateway.rest.representations import IndexPath, NodePath, PortPath, ProjectPath, RunPath, Services

router = APIRouter(tags=["data"])
PIECE_BYTES = 4 << 20
# What a browser may show by itself. Everything else is a download: a page that a block wrote must not run as one of ours.
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "application/pdf", "text/plain"})
PDF = "application/pdf"
PDF_POLICY = "frame-ancestors 'self'"  # a browser's own viewer does not start in a sandbox


@router.get(OUTPUT + "/{index}/file", response_class=Response, responses=binary("*/*", "total_bytes, file_name"))
async def read_file(
    project: ProjectPath, run: RunPath, node: NodePath, port: PortPath, index: IndexPath, services: Services
) -> StreamingResponse:
    """The bytes of a file, with its media type; what a browser shows by itself is shown, the rest is a download."""
    request = pb.ReadRequest(project_id=project, output=output_item(run, node, port, index), file=pb.FileRead(limit=PIECE_BYTES))
    header, first = await read(services, request)
    metadata = read_json(header.metadata_json, {}) | {"truncated": False}
    total = metadata.get("total_bytes")
    return StreamingResponse(_whole(services, request, first, total), headers=_headers(header.media_type, metadata))


def _headers(media_type: str, metadata: dict[str, Any]) -> dict[str, str]:
    media_type = media_type or "application/octet-stream"
    essence = media_type.partition(";")[0].strip().lower()
    name = f"; filename*=UTF-8''{quote(str(metadata['file_name']), safe='')}" if metadata.get("file_name") else ""
    headers = {
        "Content-Type": media_type,
        "Content-Disposition": ("inline" if essence in SHOWN else "attachment") + name,
        "SciStudio-Data": ascii_json(metadata),
    }
    if isinstance(metadata.get("total_bytes"), int):
        headers["Content-Length"] = str(metadata["total_bytes"])
    return {**headers, "Content-Security-Policy": PDF_POLICY} if essence == PDF else headers


async def _whole(services: Backends, request: pb.ReadRequest, parts: AsyncIterator[bytes], total: int | None) -> AsyncIterator[bytes]:
    """All of the file: the piece that was begun, then those that follow. One that has become shorter breaks off, as it must."""
    sent = 0
    while True:
        before = sent
        async for part in parts:
            sent += len(part)
            yield part
        if total is None or sent >= total:
            return
        if sent == before:
            raise EmptyRead
        request.file.offset = sent
        _, parts = await read(services, request)

"""Bounded looks at data, from what the panels service reads."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_mcp.errors import BadReference
from scistudio_mcp.results import Preview, Reference

if TYPE_CHECKING:
    from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceAsyncStub

FORMATS = ("table", "png_base64", "text", "artifact")
ROWS, CELL_CHARACTERS, SIDE, CHARACTERS = 100, 1000, 256, 4096
READ_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Part:
    """What one read answered."""

    metadata: dict[str, Any]
    body: bytes


async def _read(panels: PanelsServiceAsyncStub, request: pb.ReadRequest) -> Part:
    metadata: dict[str, Any] = {}
    body = bytearray()
    async for answer in panels.Read(request, timeout=READ_TIMEOUT_S):
        if answer.WhichOneof("part") == "header":
            metadata = json.loads(answer.header.metadata_json or "{}")
        else:
            body += answer.body
    return Part(metadata, bytes(body))


def _format_of(ref: Reference) -> str:
    chain = set(ref.metadata.get("type_chain", []))
    for kind, fmt in (("Array", "png_base64"), ("DataFrame", "table"), ("Series", "table"), ("Text", "text"), ("Artifact", "artifact")):
        if kind in chain:
            return fmt
    raise BadReference("This reference has no type that can be previewed.", hint="Use inspect_data, or the ref of one slot of a composite.")


async def read_preview(panels: PanelsServiceAsyncStub, project_id: str, ref: Reference, fmt: str) -> Preview:
    """Read what ``ref`` refers to, within the bounds of the contract."""
    fmt = fmt or _format_of(ref)
    request = pb.ReadRequest(project_id=project_id, reference_json=ref.model_dump_json())
    match fmt:
        case "table":
            request.table.limit = ROWS
        case "png_base64":
            request.array.max_side = SIDE
        case "text":
            request.text.limit = CHARACTERS
        case _:
            request.describe.SetInParent()
    part = await _read(panels, request)
    shown: dict[str, Callable[[Part], Preview]] = {"table": _table, "png_base64": _picture, "text": _text, "artifact": _artifact}
    return shown[fmt](part)


def _cell(value: Any) -> Any:
    """A value that JSON carries exactly: integers beyond 2^53 and everything unusual as text, long text cut."""
    if isinstance(value, bool | None) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    text = str(value)
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]}…"


def _table(part: Part) -> Preview:
    import pyarrow as pa  # at the first look only: an idle service stays small

    with pa.ipc.open_stream(part.body) as reader:
        table = reader.read_all()
    rows = [[_cell(value) for value in row.values()] for row in table.to_pylist()]
    total = int(part.metadata.get("total_rows", table.num_rows))
    columns = [{"name": field.name, "type": str(field.type)} for field in table.schema]
    return Preview(fmt="table", payload={"columns": columns, "rows": rows, "total_rows": total}, truncated=total > len(rows))


def _text(part: Part) -> Preview:
    truncated = bool(part.metadata.get("truncated", False))
    return Preview(fmt="text", payload={"text": part.body.decode(errors="replace"), **part.metadata}, truncated=truncated)


def _artifact(part: Part) -> Preview:
    return Preview(fmt="artifact", payload=part.metadata, truncated=False)


def _picture(part: Part) -> Preview:
    from scistudio_mcp.pictures import grey_png

    shape = part.metadata["shape"]
    picture = base64.b64encode(grey_png(part.body, part.metadata["dtype"], shape)).decode()
    whole = list(part.metadata.get("full_shape", shape))[-2:] == list(shape)[-2:]
    return Preview(fmt="png_base64", payload={"png_base64": picture, **part.metadata}, truncated=not whole)

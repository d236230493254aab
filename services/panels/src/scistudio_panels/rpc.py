"""Reads over gRPC: a header, then parts of at most 256 KiB."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import grpc
from scistudio_proto.panels.v1 import panels_pb2 as pb
from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceServicer

from scistudio_panels.reads.dispatch import answer
from scistudio_panels.sources import Sources

PART_BYTES = 256 * 1024
CONCURRENT_READS = 8  # each holds at most one plane or page in memory


class PanelsRpc(PanelsServiceServicer):
    """Proto in, one call, proto out."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._places = asyncio.Semaphore(CONCURRENT_READS)

    async def Read(self, request: pb.ReadRequest, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[pb.ReadResponse]:
        item = await self._sources.find(request)
        async with self._places:
            found = await asyncio.to_thread(answer, item, request)
            header = pb.ReadHeader(media_type=found.media_type, metadata_json=json.dumps(found.metadata))
            yield pb.ReadResponse(header=header)
            body = memoryview(found.body)
            for start in range(0, len(body), PART_BYTES):
                yield pb.ReadResponse(body=bytes(body[start : start + PART_BYTES]))

"""What blocks printed: by the page, or followed as it is printed."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import Field
from scistudio_platform.errors import SciStudioError
from scistudio_platform.logging import get_logger
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.scheduler.v1 import scheduler_pb2

from scistudio_gateway.rest.representations import INT64, ProjectPath, Representation, Services, certain_moment
from scistudio_gateway.rest.streams import Streams, with_heartbeat

router = APIRouter(tags=["logs"])
MEDIA_TYPE = "text/event-stream"
logger = get_logger("gateway")
EVENTS = "Events `log` (data: a LogLine; id: its line, where one node is followed), `problem` (then follow again), and `end`."


class LogLine(Representation):
    """One line that a block printed, or that was said about it."""

    line: int = Field(description="From 1, within one node of one run.")
    time: datetime
    node_id: str
    stream: str = Field(description="stdout, stderr, system.")
    level: str = Field(description="debug, info, warning, error.")
    text: str

    @classmethod
    def of(cls, message: pb.LogLine) -> LogLine:
        """Represent the service's message."""
        return cls(
            line=message.line,
            time=certain_moment(message.time),
            node_id=message.node_id,
            stream=message.stream,
            level=message.level,
            text=message.text,
        )


class LogPage(Representation):
    """Lines after a given one."""

    items: list[LogLine]
    truncated: bool = Field(description="Some were cut since the node printed too much.")


@router.get(
    "/projects/{project}/logs",
    response_model=LogPage,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "description": EVENTS}}}}},
)
async def get_logs(
    project: ProjectPath,
    request: Request,
    services: Services,
    streams: Streams,
    run: Annotated[str, Query(min_length=1, description="Run id.")],
    node: Annotated[str, Query(description="Node id; empty: every node of the run.")] = "",
    after: Annotated[int, Query(ge=0, le=INT64, description="Only lines after this one.")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000, description="Most lines in a page.")] = 1000,
    last_event_id: Annotated[str, Header(description="Line that a follower saw last; wins over `after`.")] = "",
) -> LogPage | Response:
    """A page of lines. With `Accept: text/event-stream`: lines as they are printed, until the run ends."""
    project_dir = await services.project_dir(project)
    if MEDIA_TYPE not in request.headers.get("accept", ""):
        page = pb.ReadLogsRequest(project_id=project, project_dir=project_dir, run_id=run, node_id=node, after_line=after, limit=limit)
        answer = await services.runner.stub.ReadLogs(page)
        return LogPage(items=[LogLine.of(line) for line in answer.lines], truncated=answer.truncated)
    await services.scheduler.stub.GetRun(
        scheduler_pb2.GetRunRequest(project_id=project, run_id=run)
    )  # 404 where a stream could say it no more
    seen = int(last_event_id) if last_event_id.isdecimal() and int(last_event_id) <= INT64 else after
    follow = pb.FollowLogsRequest(project_id=project, project_dir=project_dir, run_id=run, node_id=node, after_line=seen)
    lines = services.runner.stub.FollowLogs(follow)
    body = with_heartbeat(_events(lines, resumable=bool(node)), streams)
    return StreamingResponse(body, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})


async def _events(answers: AsyncIterable[pb.FollowLogsResponse], *, resumable: bool) -> AsyncGenerator[bytes]:
    """Lines as server-sent events. Numbers count within a node: where all nodes are followed, none can stand for a place."""
    try:
        async for answer in answers:
            line = LogLine.of(answer.line)
            yield format_sse_event(data_str=line.model_dump_json(), event="log", id=str(line.line) if resumable else None)
    except SciStudioError as error:  # the status is long sent; who follows asks again after the last line it saw
        logger.warning("log stream broken", code=error.code, message=error.message)
        yield format_sse_event(data_str=json.dumps({"code": error.code, "detail": error.message, "hint": error.hint}), event="problem")
    else:
        yield format_sse_event(data_str="{}", event="end")

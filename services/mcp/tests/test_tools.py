"""The tools as an agent calls them, over streamable HTTP."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from fastmcp import Client
from PIL import Image
from scistudio_mcp.service import build
from scistudio_mcp.settings import McpSettings
from scistudio_platform.rpc import RpcClient
from scistudio_proto.mcp.v1 import mcp_pb2 as pb
from scistudio_proto.mcp.v1 import mcp_pb2_grpc as rpc
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    return {**(result.structured_content or {}), "is_error": result.is_error, "text": result.content[0].text}


async def test_the_catalog_is_listed_with_signatures(client: Client[Any]) -> None:
    answer = await call(client, "list_blocks")
    assert answer["blocks"][0]["signature"] == "(data: Array) -> (data: Array)"


async def test_a_failed_run_says_failed_with_the_blocks_error_and_traceback(client: Client[Any]) -> None:
    for run in ("run-1", "main"):
        answer = await call(client, "get_run_status", run_id=run)
        assert answer["state"] == "failed"
        assert answer["errors"] == [{"block_id": "smooth", "error": "Trace", "summary": "no", "hint": "", "code": "block.raised"}]


async def test_an_error_of_a_service_reaches_the_agent_with_code_and_hint(client: Client[Any]) -> None:
    answer = await call(client, "get_run_status", run_id="nope")
    assert (answer["is_error"], answer["code"], answer["hint"]) == (True, "run.not_found", "List them.")
    assert answer["text"] == "There is no run nope. List them."


async def test_wrong_arguments_are_said_as_every_other_error(client: Client[Any]) -> None:
    answer = await call(client, "get_run_status", run="main")
    assert (answer["is_error"], answer["code"], answer["subject"]) == (True, "mcp.bad_arguments", "tool/get_run_status")
    assert answer["message"] == "get_run_status cannot be called like this: 'run_id' is missing; 'run' is not known."
    answer = await call(client, "get_run_status", run_id=["main"])
    assert answer["message"].startswith("get_run_status cannot be called like this: 'run_id' does not fit (")
    assert answer["hint"]


async def test_a_run_starts_and_answers_its_id(client: Client[Any]) -> None:
    answer = await call(client, "run_workflow", path="main")
    assert len(answer["run_id"]) == 36


async def test_inline_text_is_told_from_a_path(client: Client[Any]) -> None:
    assert (await call(client, "validate_workflow", yaml_or_path="workflow:\n  nodes: []"))["errors"][0]["code"] == "workflow.cycle"
    assert (await call(client, "validate_workflow", yaml_or_path="workflows/main.yaml"))["errors"] == []


async def test_a_preview_of_an_array_is_a_picture_of_its_values(client: Client[Any]) -> None:
    output = await call(client, "get_block_output", run_id="main", block_id="smooth", port="data")
    preview = await call(client, "preview_data", ref=output["ref"])
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(preview["payload"]["png_base64"]))))
    assert picture.tolist() == [[0, 51, 102], [153, 204, 255]]
    assert preview["truncated"]


async def test_a_blocks_output_is_read_from_the_log(client: Client[Any]) -> None:
    assert (await call(client, "get_block_logs", run_id="run-1", block_id="smooth"))["stdout"] == "hello"


async def test_with_two_open_projects_the_agent_must_choose_and_the_address_chooses(
    settings: McpSettings, others: None, connect: Any, projects: list[workflow.Project]
) -> None:
    projects.append(workflow.Project(id="project-2", name="two", path="/q", is_open=True))
    async with build(settings):
        async with connect() as client:
            answer = await call(client, "list_blocks")
            assert answer["code"] == "mcp.no_project"
            assert "two (project-2)" in answer["text"]
        async with connect("?project=project-2") as client:
            assert (await call(client, "list_blocks"))["count"] == 1
        async with connect("?project=gone") as client:
            assert (await call(client, "list_blocks"))["code"] == "project.not_found"


async def test_a_session_survives_a_restart_of_the_service(settings: McpSettings, others: None, connect: Any) -> None:
    client = connect()
    async with build(settings):
        await client.__aenter__()
        assert (await call(client, "list_blocks"))["count"] == 1
    async with build(settings):
        assert (await call(client, "list_blocks"))["count"] == 1
        await client.__aexit__(None, None, None)


async def test_other_services_can_list_the_tools(settings: McpSettings, client: Client[Any]) -> None:
    asker = RpcClient(settings, "mcp", rpc.McpServiceStub)
    await asker.start()
    tools = {tool.name: tool for tool in (await asker.stub.ListTools(pb.ListToolsRequest())).tools}
    await asker.stop()
    assert tools["get_run_status"].read_only
    assert not tools["run_workflow"].read_only

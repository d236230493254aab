"""The description of the API is complete: what the page's client is generated from."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from scistudio_gateway.openapi import openapi_json
from scistudio_gateway.rest.router import make_api

BINARY = {"read_array", "read_table", "read_text", "read_file"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(openapi_json())
    return described


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


def test_operations_are_named_after_their_functions(document: dict[str, Any]) -> None:
    routes = [context for context in iter_route_contexts(make_api().routes) if isinstance(context.original_route, APIRoute)]
    functions = {route.endpoint.__name__ for route in routes if route.endpoint is not None}
    assert operations(document).keys() == functions


def test_every_answer_is_typed_and_every_refusal_a_problem(document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        for status, response in operation["responses"].items():
            content = response.get("content", {})
            if status == "default" or (status >= "400" and (name, status) != ("get_health", "503")):
                assert content["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}, (name, status)
            elif status not in ("204", "304"):
                assert all(media["schema"] for media in content.values()), (name, status)
                assert content, (name, status)
        assert {"401", "default"} <= operation["responses"].keys()


def test_binary_answers_are_declared(document: dict[str, Any]) -> None:
    for name in BINARY:
        answer = operations(document)[name]["responses"]["200"]
        (media,) = answer["content"].values()
        assert media["schema"] == {"type": "string", "format": "binary"}
        assert "SciStudio-Data" in answer["headers"]


def test_all_but_health_and_signing_in_say_that_they_need_the_token(document: dict[str, Any]) -> None:
    open_ones = {name for name, operation in operations(document).items() if operation.get("security") == []}
    assert open_ones == {"get_health", "create_session"}
    assert document["security"] == [{"bearer": []}, {"cookie": []}]
    assert document["components"]["securitySchemes"].keys() == {"bearer", "cookie"}


def test_every_reference_leads_somewhere_and_nothing_is_left_over(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    for name in document["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text, name
    for part in text.split('"#/components/schemas/')[1:]:
        assert part.partition('"')[0] in document["components"]["schemas"]


def test_the_command_prints_the_same_and_starts_nothing() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "scistudio_gateway.openapi"], capture_output=True, text=True, check=True, timeout=60, env={}
    )
    assert printed.stdout == openapi_json()
    assert printed.stderr == ""


async def test_the_gateway_serves_the_same_document(http: httpx2.AsyncClient, document: dict[str, Any]) -> None:
    assert (await http.get("/openapi.json")).json() == document

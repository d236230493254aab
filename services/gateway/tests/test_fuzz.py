"""Whatever is sent, the answer is one that the API's description declares, and no fault of ours."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scistudio_gateway.openapi import openapi_json
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.lineage.v1 import lineage_pb2 as lineage
from scistudio_proto.runner.v1 import runner_pb2 as runner
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow

DOCUMENT = json.loads(openapi_json())
OPERATIONS = {
    operation["operationId"]: (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
Sent = tuple[str, str, str, bytes | None]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.one_of(TEXT, st.integers().map(str), st.sampled_from(["", "0", "-1", "true", "NaN", "1e9", "z:1", "..", "up", str(2**63)]))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5)
KNOWN = ["name", "parent", "path", "existing", "is_open", "workflow", "run_id", "state", "reason", "token"]
FORMS = st.dictionaries(st.sampled_from(KNOWN), JSON | st.sampled_from(["cancelled", "p", True]), max_size=4)
BODIES = st.one_of(st.binary(max_size=20), (JSON | FORMS).map(lambda body: json.dumps(body).encode()))


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """A request to one of the operations, with anything for its parameters and body."""
    name = draw(st.sampled_from(sorted(OPERATIONS)))
    path, method, operation = OPERATIONS[name]
    query = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            value = draw(TEXT.filter(lambda text: text not in ("", ".", "..")) | st.integers(0, 9).map(str))
            path = path.replace(f"{{{parameter['name']}}}", quote(value, safe=""))
        elif parameter["in"] == "query" and (parameter.get("required") or draw(st.booleans())):
            query += [(parameter["name"], value) for value in draw(st.lists(VALUES, min_size=1, max_size=2))]
    body = draw(BODIES) if "requestBody" in operation else None
    return name, method.upper(), f"{path}?{urlencode(query)}", body


@pytest.fixture
def contented(others: Any, read_answer: Any) -> None:
    """Services that find whatever they are asked for."""
    run = scheduler.Run(id="r", state=scheduler.RUN_STATE_RUNNING)
    others.scheduler.answers |= {
        "StartRun": scheduler.StartRunResponse(run=run),
        "GetRun": scheduler.GetRunResponse(run=run),
        "ListRuns": scheduler.ListRunsResponse(runs=[run]),
        "CancelRun": scheduler.CancelRunResponse(run=run),
        "GetOutput": scheduler.GetOutputResponse(value=PortValue(value_json="1")),
    }
    others.panels.answers["Read"] = read_answer({}, [b"x"], "x/y")
    others.runner.answers |= {"ReadLogs": runner.ReadLogsResponse(), "FollowLogs": []}
    for script, messages, service in ((others.workflow, workflow, "WorkflowService"), (others.lineage, lineage, "LineageService")):
        for method in messages.DESCRIPTOR.services_by_name[service].methods:
            script.answers[method.name] = getattr(messages, method.output_type.name)()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=requests())
@pytest.mark.usefixtures("contented")
async def test_every_answer_is_one_that_is_declared(http: httpx2.AsyncClient, request: Sent) -> None:
    name, method, path, body = request
    url = http.base_url.copy_with(raw_path=path.encode())
    answer = await http.request(method, url, content=body, headers={"content-type": "application/json"})
    assert str(answer.status_code) in OPERATIONS[name][2]["responses"], (request, answer.text)
    if name != "get_health":
        assert answer.status_code < 500, (request, answer.text)
        assert answer.status_code < 400 or answer.headers["content-type"] == "application/problem+json"

"""One trace leads from the HTTP request to the worker."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import Home

PROGRAM = Path(__file__).with_name("traced_run.py")


def traced(home: Home) -> dict[str, Any]:
    project = home.project("faults")
    answer = subprocess.run([sys.executable, PROGRAM, project], env=home.env, capture_output=True, text=True, timeout=90, check=False)
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


def test_a_run_is_one_trace_from_the_request_to_the_worker(home: Home) -> None:
    found = traced(home)
    assert found["state"] == "completed"
    request = next(span for span in found["spans"] if "POST" in span["name"] and "runs" in span["name"])
    names = [span["name"] for span in found["spans"] if span["trace"] == request["trace"]]
    for part in ("StartRun", "GetRunPlan", "Execute"):
        assert any(part in name for name in names), (part, names)
    executed = [span for span in found["spans"] if span["trace"] == request["trace"] and span["name"] == "execution"]
    assert {span["attributes"]["node"] for span in executed} == {"say", "louder"}

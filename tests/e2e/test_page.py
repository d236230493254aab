"""The page in a real browser, against real services."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, Home, Up, running

FRONTEND = ROOT / "frontend"


def browse(script: str, up: Up, *arguments: Path | str) -> dict[str, Any]:
    """Run one of the page's browser scripts and return what it saw."""
    chromium = shutil.which("chromium")
    assert chromium, "the browser tests need Debian's package chromium: make setup-system"
    command = ["node", f"browser/{script}.mjs", f"{up.url}/?token={up.token}", chromium, *map(str, arguments)]
    answer = subprocess.run(command, cwd=FRONTEND, capture_output=True, text=True, timeout=150, check=False)
    assert answer.returncode == 0, answer.stderr
    seen: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return seen


def test_a_person_runs_a_workflow_sees_its_states_change_and_looks_at_outputs(home: Home) -> None:
    with running(home, home.project("measure-objects")) as up:
        seen = browse("run-workflow", up, home.folder / "page.png")
    assert up.token not in seen["address"]
    assert [state for state in seen["states"] if state in ("running", "done")] == ["running", "done"]
    assert "21 of 23 objects kept" in seen["log"]
    assert "303 × 384" in seen["image"]
    assert "23 rows" in seen["table"]
    assert seen["faults"] == []


def test_a_page_that_lost_the_network_shows_what_happened_meanwhile(home: Home) -> None:
    project = home.project("faults")
    (project / "marks").mkdir()
    with running(home, project) as up:
        assert browse("offline", up, project / "marks" / "go")["faults"] == []

"""The command as a person types it: output, exit codes, and nothing left running (the ``home`` fixture looks)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Home, running, until


def run(home: Home, workflow: str, *options: str) -> subprocess.CompletedProcess[str]:
    project = home.project("faults")
    return home.scistudio("run", project / "workflows" / f"{workflow}.yaml", *options)


def test_a_completed_run_exits_0_and_shows_states_and_log_lines(home: Home) -> None:
    answer = run(home, "two")
    assert answer.returncode == 0, answer.stderr
    assert "saying hi" in answer.stderr
    assert re.search(r"louder +louder +done", answer.stdout)
    assert "Traceback" not in answer.stdout + answer.stderr


def test_json_is_one_object_a_line_and_the_last_tells_the_outcome(home: Home) -> None:
    answer = run(home, "two", "--json")
    events = [json.loads(line) for line in answer.stdout.splitlines()]
    assert events[0]["event"] == "run.started"
    assert (events[-1]["event"], events[-1]["state"]) == ("run.ended", "completed")
    assert answer.returncode == 0


def test_a_run_tells_of_a_setting_that_no_block_has(home: Home) -> None:
    project = home.project("faults")
    workflow = project / "workflows" / "typo.yaml"
    workflow.write_text("workflow:\n  id: typo\n  nodes:\n  - {id: one, block_type: say, config: {textt: hi}}\n  edges: []\n")
    answer = home.scistudio("run", workflow)
    assert "has no setting 'textt'" in answer.stderr


def test_a_new_project_explains_itself_and_its_first_workflow_has_nothing_to_do(home: Home) -> None:
    made = home.scistudio("init", "a b")
    assert "scistudio up 'a b'" in made.stdout
    assert "block_type: load_data" in (home.folder / "a b" / "README.md").read_text()
    answer = home.scistudio("run", home.folder / "a b" / "workflows" / "main.yaml")
    assert (answer.returncode, "it has no blocks yet" in answer.stderr) == (0, True)


FAILURES = {
    "raises": ["the lamp is off", "faults.py"],
    "exits": ["exit status 0", "before it gave a result"],
    "kills-itself": ["SIGKILL"],
}


@pytest.mark.parametrize("workflow", FAILURES)
def test_a_failed_block_exits_1_and_says_why(home: Home, workflow: str) -> None:
    answer = run(home, workflow)
    assert answer.returncode == 1, answer.stderr
    for words in FAILURES[workflow]:
        assert words in answer.stdout
    assert re.search(r"after +louder +skipped", answer.stdout)
    assert re.search(r"beside +louder +done", answer.stdout)


def test_an_allowed_failure_still_exits_1_with_its_own_state(home: Home) -> None:
    answer = run(home, "allowed-failure")
    assert answer.returncode == 1
    assert "completed_with_failures" in answer.stdout


BAD_INPUT = {
    "cycle": ["a", "b", "cycle"],
    "unknown-type": ["loudr", "louder"],
    "not-yaml": ["not-yaml.yaml", "line 4"],
    "not-a-workflow": ["not-a-workflow.yaml", "workflow"],
}


@pytest.mark.parametrize("workflow", BAD_INPUT)
def test_bad_input_exits_2_and_names_what_and_where(home: Home, workflow: str) -> None:
    answer = run(home, workflow)
    assert answer.returncode == 2, answer.stderr
    for words in BAD_INPUT[workflow]:
        assert words in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not list((home.folder / "faults").rglob("*.parquet"))


def test_validate_tells_valid_from_invalid_from_unreadable(home: Home) -> None:
    folder = home.project("faults") / "workflows"
    codes = {name: home.scistudio("validate", folder / f"{name}.yaml").returncode for name in ("two", "cycle", "not-yaml")}
    assert codes == {"two": 0, "cycle": 1, "not-yaml": 2}
    problems = json.loads(home.scistudio("validate", folder / "cycle.yaml", "--json").stdout)
    assert not problems["valid"]
    assert {problem["code"] for problem in problems["problems"]} >= {"graph.cycle"}


def test_a_missing_file_exits_2_and_is_named(home: Home) -> None:
    answer = home.scistudio("run", home.folder / "nowhere.yaml")
    assert answer.returncode == 2
    assert "nowhere.yaml does not exist" in answer.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_cancels_the_run_and_ends_every_process(home: Home, number: signal.Signals, code: int) -> None:
    project = home.project("faults")
    process = home.start("run", project / "workflows" / "clings.yaml")
    until((project / "marks" / "clinging").exists)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "cancelled" in err


def test_a_signal_before_the_run_has_begun_leaves_nothing(home: Home) -> None:
    project = home.project("faults")
    process = home.start("run", project / "workflows" / "waits.yaml")
    until(lambda: list((home.folder / "run").glob("*/run-*/workflow.sock")), pause_s=0.01)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert "Traceback" not in err
    assert not list((home.folder / "run").glob("*/run-*"))


def test_a_project_that_a_run_holds_is_waited_for(home: Home) -> None:
    project = home.project("faults")
    first = home.start("run", project / "workflows" / "waits.yaml")
    until((project / "marks" / "started").exists)
    second = home.start("run", project / "workflows" / "two.yaml")
    assert second.stderr is not None
    line = until(lambda: second.stderr.readline())
    assert "Waiting until it is free" in line
    (project / "marks" / "go").touch()
    for process in (first, second):
        process.communicate(timeout=60)
        assert process.returncode == 0


def test_a_run_of_a_project_that_is_up_runs_there(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        answer = home.scistudio("run", project / "workflows" / "two.yaml")
        assert answer.returncode == 0, answer.stderr
        assert up.url in answer.stderr
        with up.client() as http:
            assert [item["state"] for item in http.get(f"{up.path}/runs").json()["items"]] == ["completed"]


def test_a_second_up_prints_where_the_first_serves_and_exits_1(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        answer = home.scistudio("up", project, "--port", "0")
        assert answer.returncode == 1
        assert up.url in answer.stdout
        assert up.token not in answer.stdout + answer.stderr


def test_a_port_in_use_is_named_with_what_to_do(home: Home) -> None:
    project = home.project("faults")
    other = home.project("other", home.project("faults"))
    with running(home, project) as up:
        port = up.url.rpartition(":")[2]
        answer = home.scistudio("up", other, "--port", port)
        assert answer.returncode == 1
        assert f"Port {port}" in answer.stderr
        assert "--port 0" in answer.stderr


def test_a_folder_without_project_yaml_is_refused(home: Home) -> None:
    (home.folder / "empty").mkdir()
    answer = home.scistudio("up", home.folder / "empty")
    assert answer.returncode == 1
    assert "project.yaml" in answer.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a read-only mount, and root writes anywhere else")
@pytest.mark.parametrize(("command", "code"), [("up", 1), ("run", 2)])
def test_a_read_only_project_is_told_so(home: Home, command: str, code: int) -> None:
    project = home.project("faults")
    target = project if command == "up" else project / "workflows" / "two.yaml"
    bind = f"mount --bind {project} {project} && mount -o remount,ro,bind {project} && exec"
    words = ["unshare", "--mount", "sh", "-c", f'{bind} "$@"', "sh"]
    command_line = [*words, sys.executable, "-m", "scistudio_cli", command, str(target)]
    answer = subprocess.run(command_line, env=home.env, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == code, answer.stderr
    assert "read-only" in answer.stderr.lower()
    assert "Traceback" not in answer.stderr


def test_init_makes_a_project_that_runs(home: Home) -> None:
    assert home.scistudio("init", "fresh").returncode == 0
    assert (home.folder / "fresh" / "project.yaml").is_file()
    assert home.scistudio("validate", home.folder / "fresh" / "workflows" / "main.yaml").returncode == 0
    again = home.scistudio("init", "fresh")
    assert again.returncode == 1
    assert "exists" in again.stderr


def test_init_makes_a_project_where_its_path_says(home: Home) -> None:
    (home.folder / "papers").mkdir()
    answer = home.scistudio("init", "papers/my study")
    assert answer.returncode == 0, answer.stderr
    assert (home.folder / "papers" / "my study" / "project.yaml").is_file()
    assert "scistudio up 'papers/my study'" in answer.stdout


@pytest.mark.parametrize("command", ["up", "run", "validate"])
def test_a_state_folder_that_cannot_be_written_is_named(home: Home, command: str) -> None:
    project = home.project("faults")
    (home.folder / "state" / "nats").write_text("in the way")
    answer = home.scistudio(command, project if command == "up" else project / "workflows" / "two.yaml")
    assert answer.returncode != 0
    assert str(home.folder / "state") in answer.stderr
    assert "SCISTUDIO_STATE_DIR" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_empty_host_is_refused_and_does_not_mean_every_address(home: Home) -> None:
    answer = home.scistudio("up", home.project("faults"), "--host", "")
    assert (answer.returncode, "host is empty" in answer.stderr) == (1, True)


def test_doctor_finds_this_installation_well(home: Home) -> None:
    answer = home.scistudio("doctor", "--json")
    findings = {finding["check"]: finding for finding in json.loads(answer.stdout)}
    assert findings["worker"]["detail"] == "starts with 1 thread(s)"
    assert findings["nats-server"]["ok"]


def test_a_headless_run_imports_nothing_that_it_does_not_use(home: Home, tmp_path: Path) -> None:
    project = home.project("faults")
    assert run(home, "two").returncode == 0  # databases are at their newest revision now
    note = tmp_path / "modules"
    code = (
        "import atexit, sys; from pathlib import Path; from scistudio_cli.main import main;"
        f"atexit.register(lambda: Path({str(note)!r}).write_text(' '.join(sys.modules)));"
        f"sys.argv = ['scistudio', 'run', {str(project / 'workflows' / 'two.yaml')!r}]; main()"
    )
    subprocess.run([sys.executable, "-c", code], env=home.env, capture_output=True, timeout=60, check=True)
    loaded = set(note.read_text().split())
    assert not loaded & {
        "fastapi",
        "uvicorn",
        "alembic",
        "kubernetes",
        "fastmcp",
        "pandas",
        "aiohttp",
        "opentelemetry.sdk",
        "zarr",
        "pyarrow",
    }


def test_a_run_that_someone_else_cancels_exits_4(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        process = home.start("run", project / "workflows" / "waits.yaml")
        until((project / "marks" / "started").exists)
        with up.client() as http:
            run = http.get(f"{up.path}/runs").json()["items"][0]["id"]
            http.patch(f"{up.path}/runs/{run}", json={"state": "cancelled", "reason": "the lamp is needed"}).raise_for_status()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert "the lamp is needed" in out


def test_ctrl_c_stops_everything_that_up_started(home: Home) -> None:
    process = home.start("up", home.project("faults"), "--port", "0", "--json")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["event"] == "ready"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert home.processes() == []


def test_lineage_has_the_whole_run_when_a_headless_run_exits(home: Home) -> None:
    project = home.project("speed")
    assert home.scistudio("run", project / "workflows" / "chain-text.yaml").returncode == 0
    with contextlib.closing(sqlite3.connect(project / ".scistudio" / "lineage.db")) as database:
        assert database.execute("select count(*) from executions").fetchone() == (21,)
        assert database.execute("select count(*) from runs where ended_at is not null").fetchone() == (1,)

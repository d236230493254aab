"""Any one process is killed in the middle of a run; the run ends as it would have, and the launcher says what happened."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from tests.conftest import Home, Up, running, until

SERVICES = ("workflow", "runner", "scheduler", "lineage", "panels", "mcp", "gateway")


def start_waiting(up: Up) -> str:
    """Start a run and wait until its second block runs."""
    with up.client() as http:
        run = http.post(f"{up.path}/runs", json={"workflow": "waits"}).json()["id"]
    until((up.home.folder / "faults" / "marks" / "started").exists)
    return str(run)


def serving(up: Up) -> bool:
    with up.client() as http:
        return http.get("/health").status_code == 200


@pytest.mark.parametrize("service", SERVICES)
def test_a_run_ends_as_it_would_have_when_a_service_is_killed(home: Home, service: str) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        run = start_waiting(up)
        os.kill(up.pid_of(service), signal.SIGKILL)
        until(lambda: any(f"{service} died (killed by SIGKILL)" in line for line in up.warnings))
        (project / "marks" / "go").touch()
        ended = up.wait_for(run)
        until(lambda: serving(up))
    assert ended["state"] == "completed"
    assert len((project / "marks" / "started").read_text().split()) == 1  # the block that ran was not started twice


def test_a_run_ends_when_nats_is_killed(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        run = start_waiting(up)
        nats = next(process for process in home.processes() if process.name() == "nats-server")
        nats.kill()
        until(lambda: any("nats died" in line for line in up.warnings))
        (project / "marks" / "go").touch()
        assert up.wait_for(run)["state"] == "completed"
        with up.client() as http:
            until(lambda: http.get(f"{up.path}/lineage/runs/{run}").status_code == 200)


def test_a_run_ends_when_the_folder_of_nats_is_deleted(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        run = start_waiting(up)
        shutil.rmtree(home.folder / "state" / "nats")
        until(lambda: any("nats has stopped writing" in line for line in up.warnings))
        (project / "marks" / "go").touch()
        assert up.wait_for(run)["state"] == "completed"
        with up.client() as http:
            until(lambda: http.get(f"{up.path}/lineage/runs/{run}").status_code == 200)


def test_up_ends_and_says_why_when_its_sockets_are_deleted(home: Home) -> None:
    project = home.project("faults")
    with pytest.raises(AssertionError, match="1 == 0"), running(home, project) as up:
        shutil.rmtree(home.folder / "run")
        until(lambda: up.process.poll() is not None)
    assert any("was deleted" in line and str(home.folder / "run") in line for line in up.warnings)
    (home.folder / "run").mkdir()


def test_a_block_whose_worker_host_is_killed_is_run_again(home: Home) -> None:
    project = home.project("faults")
    with running(home, project) as up:
        run = start_waiting(up)
        os.kill(up.pid_of("worker"), signal.SIGKILL)
        (project / "marks" / "go").touch()
        assert up.wait_for(run)["state"] == "completed"


def test_a_run_goes_on_after_everything_was_killed_and_started_again(home: Home) -> None:
    project = home.project("faults")
    with pytest.raises(AssertionError), running(home, project) as up:
        run = start_waiting(up)
        up.process.kill()  # the launcher: its services end with it
        until(lambda: not home.processes())
    (project / "marks" / "go").touch()
    with running(home, project) as again:
        assert again.wait_for(run)["state"] == "completed"

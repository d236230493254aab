"""Folders on this machine."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scistudio_cli import places
from scistudio_cli.errors import AlreadyRunning, NoProject, PathIsNoText, RunDirectoryUnsafe
from scistudio_cli.launcher.claim import Claim, Note, living_note


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="sci-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def test_the_project_around_a_folder_is_the_nearest_one(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b" / "workflows"
    inner.mkdir(parents=True)
    for folder in (tmp_path / "a", tmp_path / "a" / "b"):
        (folder / "project.yaml").touch()
    assert places.project_above(inner) == tmp_path / "a" / "b"


def test_a_folder_without_a_project_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoProject, match=r"project\.yaml") as caught:
        places.project_of(tmp_path)
    assert "scistudio init" in caught.value.hint


def test_a_run_directory_is_private_and_made_so_again(tmp_path: Path) -> None:
    folder = places.run_dir(tmp_path)
    folder.chmod(0o755)
    assert stat.S_IMODE(places.run_dir(tmp_path).stat().st_mode) == 0o700


def test_a_run_directory_that_is_a_link_is_refused(runtime: Path, tmp_path: Path) -> None:
    (runtime / f"scistudio-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(RunDirectoryUnsafe):
        places.run_dir(tmp_path)


def test_a_second_launcher_is_told_where_the_first_serves(tmp_path: Path) -> None:
    folder = places.run_dir(tmp_path)
    first = Claim(folder)
    first.take()
    assert living_note(folder) is None  # still starting
    first.write(Note(os.getpid(), "http://127.0.0.1:7100", "secret", str(tmp_path)))
    with pytest.raises(AlreadyRunning, match=r"http://127\.0\.0\.1:7100") as caught:
        Claim(folder).take()
    assert "secret" not in caught.value.text
    note = living_note(folder)
    assert note is not None
    assert note.token == "secret"
    assert "secret" not in repr(note)
    first.release()
    assert living_note(folder) is None


def test_the_note_of_a_launcher_is_for_its_user_alone(tmp_path: Path) -> None:
    folder = places.run_dir(tmp_path)
    claim = Claim(folder)
    claim.take()
    assert stat.S_IMODE((folder / "launcher.json").stat().st_mode) == 0o600
    claim.release()


def test_a_runtime_folder_too_long_for_sockets_is_passed_over(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime / ("r" * 90)))
    base = places.runtime_base()
    assert not base.is_relative_to(runtime)
    assert len(str(base / places.LONGEST_SOCKET)) <= places.SOCKET_PATH_LIMIT


@pytest.mark.parametrize("make", [lambda: places.run_dir(None), places.TemporaryRunDir])
def test_a_runtime_folder_that_is_missing_is_named(make: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc/none")
    with pytest.raises(RunDirectoryUnsafe, match="/proc/none") as caught:
        make()
    assert "XDG_RUNTIME_DIR" in caught.value.hint


def test_a_path_that_is_no_text_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(PathIsNoText, match="no UTF-8"):
        places.project_of(tmp_path / os.fsdecode(b"bad\xff"))


def test_a_folder_that_does_not_exist_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(NoProject, match="does not exist"):
        places.project_of(tmp_path / "nowhere")


def test_what_a_killed_run_left_is_swept_and_a_living_one_stays(runtime: Path) -> None:
    living, dead = places.TemporaryRunDir(), places.TemporaryRunDir()
    dead._lock.close()  # as the kernel does it for a killed process
    newest = places.TemporaryRunDir()
    assert [living.path.exists(), dead.path.exists(), newest.path.exists()] == [True, False, True]
    for folder in (living, newest):
        folder.remove()

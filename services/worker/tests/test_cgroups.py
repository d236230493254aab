"""Where our own group lies, in the layouts that machines and containers have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scistudio_worker import cgroups, linux
from scistudio_worker.cgroups import PREFIX

V2 = "30 25 0:26 {root} {place} rw,nosuid shared:4 - cgroup2 cgroup2 rw"
V1 = "31 25 0:27 {root} {place} rw,nosuid shared:5 - cgroup cgroup rw,{controller}"


def machine(tmp_path: Path, *, groups: list[str], mounts: list[str]) -> Path:
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text("".join(f"{line}\n" for line in groups))
    (proc / "mountinfo").write_text("".join(f"{line}\n" for line in ["22 1 8:1 / / rw - ext4 /dev/sda1 rw", *mounts]))
    return proc


def test_a_desktop_has_our_scope_in_the_unified_hierarchy(tmp_path: Path) -> None:
    place, scope = tmp_path / "fs", "user.slice/user-1000.slice/app.scope"
    (place / scope).mkdir(parents=True)
    proc = machine(tmp_path, groups=[f"0::/{scope}"], mounts=[V2.format(root="/", place=place)])
    assert cgroups.folders(proc) == {"": place / scope}


def test_a_container_sees_only_its_part_of_the_tree(tmp_path: Path) -> None:
    place = tmp_path / "fs"
    place.mkdir()
    proc = machine(tmp_path, groups=["0::/docker/abc"], mounts=[V2.format(root="/docker/abc", place=place)])
    assert cgroups.folders(proc) == {"": place}


def test_a_hybrid_machine_has_several_hierarchies(tmp_path: Path) -> None:
    unified, memory = tmp_path / "unified", tmp_path / "memory"
    unified.mkdir()
    (memory / "job").mkdir(parents=True)
    mounts = [V2.format(root="/", place=unified), V1.format(root="/", place=memory, controller="memory")]
    proc = machine(tmp_path, groups=["4:memory:/job", "3:cpu,cpuacct:/", "0::/"], mounts=mounts)
    assert cgroups.folders(proc) == {"": unified, "memory": memory / "job"}


def test_without_proc_there_are_no_groups(tmp_path: Path) -> None:
    assert cgroups.find(tmp_path / "nothing").all == []


@pytest.mark.skipif(not linux.IS_LINUX, reason="needs /proc")
def test_groups_of_the_living_are_left_alone(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    began = linux.start_time(child.pid)
    names = [f"{PREFIX}-{child.pid}-{began}-0a", f"{PREFIX}-{os.getpid()}-1-0b", f"{PREFIX}-trial", "another"]
    for name in names:
        (tmp_path / name).mkdir()
    assert [path.name for path in cgroups.left_over(tmp_path)] == [names[1]]
    child.communicate(b"\n")
    assert {path.name for path in cgroups.left_over(tmp_path)} == set(names[:2])

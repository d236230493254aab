"""Where this process stands in the kernel's control groups, and what may be done there."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from scistudio_worker import linux

PREFIX = "scistudio-worker"
_NAME = re.compile(rf"{PREFIX}-(\d+)-(\d+)-[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """Our own group's folder in each hierarchy in which we may make groups; None where we may not."""

    unified: Path | None = None
    freezer: Path | None = None
    memory: Path | None = None

    @property
    def all(self) -> list[Path]:
        """The folders that there are."""
        return [path for path in (self.unified, self.freezer, self.memory) if path is not None]


def find(proc: Path = Path("/proc/self")) -> Hierarchies:
    """Read our groups and their mounts, and try each by making a group."""
    found = {name: _usable(folder) for name, folder in folders(proc).items()}
    return Hierarchies(unified=found.get(""), freezer=found.get("freezer"), memory=found.get("memory"))


def folders(proc: Path) -> dict[str, Path]:
    """Return controller to the folder of our own group; the unified hierarchy has the empty name."""
    try:
        groups = _own_groups((proc / "cgroup").read_text(encoding="utf-8"))
        mounts = _mounts((proc / "mountinfo").read_text(encoding="utf-8"))
    except OSError:
        return {}
    return {name: _folder(groups[name], *mounts[name]) for name in groups.keys() & mounts.keys()}


def _own_groups(text: str) -> dict[str, str]:
    """Controller to our group's path; the unified hierarchy has the empty name."""
    lines = [line.split(":", 2) for line in text.splitlines()]
    return {name: path for _, names, path in lines for name in names.split(",")}


def _mounts(text: str) -> dict[str, tuple[str, str]]:
    """Controller to the root and the place of its mount."""
    mounts: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        root, place = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind == "cgroup2":
            mounts[""] = (root, place)
        elif kind == "cgroup":
            mounts |= dict.fromkeys(options.split(","), (root, place))
    return mounts


def _folder(group: str, root: str, place: str) -> Path:
    """The folder of ``group`` below a mount that shows the tree from ``root`` on (containers see only their part)."""
    inside = group[len(root) :] if root != "/" and group.startswith(root) else group
    folder = Path(place) / inside.lstrip("/")
    return folder if folder.is_dir() else Path(place)


def _usable(folder: Path) -> Path | None:
    """``folder`` when we may make groups there and enter processes: both fail in an unprivileged container."""
    trial = folder / f"{PREFIX}-{os.getpid()}-trial"
    try:
        trial.mkdir()
    except OSError:
        return None
    usable = os.access(trial / "cgroup.procs", os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    trial.rmdir()
    return folder if usable else None


def enable_memory(folder: Path) -> bool:
    """Hand the memory controller on to groups below ``folder`` of the unified hierarchy, where it can be."""
    control = folder / "cgroup.subtree_control"
    try:
        if "memory" not in control.read_text().split():
            control.write_text("+memory")
    except OSError:  # not given to us, or processes stand in the group itself
        return False
    return True


def host_folder_name() -> str:
    """A name of its own that tells whether the process that made it still lives: its pid and when it began."""
    return f"{PREFIX}-{os.getpid()}-{linux.start_time(os.getpid())}-{secrets.token_hex(4)}"


def make(folder: Path) -> None:
    """Make a group, if it is not there."""
    folder.mkdir(exist_ok=True)


def remove(folder: Path) -> None:
    """Remove a group, unless something stands in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def inner(folder: Path) -> list[Path]:
    """Groups in a group."""
    return [path for path in folder.iterdir() if path.is_dir()]


def left_over(folder: Path) -> list[Path]:
    """Groups below ``folder`` whose worker host is dead."""
    named = [(entry, _NAME.fullmatch(entry.name)) for entry in folder.iterdir()]
    return [entry for entry, name in named if name is not None and linux.start_time(int(name[1])) != name[2]]


def pids(folder: Path) -> list[int]:
    """Processes in a group; none when it is gone."""
    try:
        return [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []

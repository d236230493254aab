"""What git knows of a project folder. It helps where it can, and nothing fails without it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

CREATE_TIMEOUT_S = 20.0
# A repository may come from anybody: looking at it starts none of its programs.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
_AUTHOR = {"user.name": "SciStudio", "user.email": "scistudio@localhost"}


@dataclass(frozen=True)
class GitState:
    """The commit that is checked out, empty without one, and whether files differ from it."""

    commit: str = ""
    dirty: bool = False


def git_state(folder: Path, timeout_s: float) -> GitState:
    """Return commit and dirtiness of a project folder; an empty state when git cannot tell in time."""
    answer = _git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--", ".", timeout_s=timeout_s)
    if answer is None:
        return GitState()
    lines = answer.splitlines()
    commit = next((line.removeprefix("# branch.oid ") for line in lines if line.startswith("# branch.oid ")), "")
    dirty = any(not line.startswith("# ") for line in lines)
    return GitState("", False) if commit == "(initial)" or not commit else GitState(commit, dirty)


def start_repository(folder: Path) -> bool:
    """Make a repository of a new project folder and commit what it holds; say whether that worked."""
    if _git(folder, "init", "--quiet") is None or _git(folder, "symbolic-ref", "HEAD", "refs/heads/main") is None:
        return False
    author = [part for key, value in _AUTHOR.items() if not _git(folder, "config", key) for part in ("-c", f"{key}={value}")]
    if _git(folder, "add", "--all") is None:
        return False
    return _git(folder, *author, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", "Start the project") is not None


def _git(folder: Path, *arguments: str, timeout_s: float = CREATE_TIMEOUT_S) -> str | None:
    """What git prints; None when it fails, is too slow, or is not installed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *_QUIET, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None

"""Make the development environment: the newest Python that runs, uv, the locked packages and ours.

Needs nothing but a Python >= 3.11 with ``venv``. Safe to run again: what is current is left alone.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
MADE = ROOT / ".make"
LOCK = ROOT / "requirements.lock"
UV_PIN = "uv==0.13.9"
OLDEST = (3, 11)


def fail(message: str) -> None:
    """Say what is wrong and what to do, and stop."""
    raise SystemExit(f"setup: {message}")


def candidates() -> Iterator[str]:
    """Interpreters worth trying, the newest first; the one in ``PYTHON`` alone when it is set."""
    if chosen := os.environ.get("PYTHON"):
        yield chosen
        return
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in (14, 13, 12, 11):
        if found := shutil.which(f"python3.{minor}"):
            yield found
        yield from (str(path) for path in sorted(versions.glob(f"3.{minor}.*/bin/python"), reverse=True))
    yield "python3"
    yield sys.executable


def version_of(python: str) -> tuple[int, int] | None:
    """Ask by running it: a version manager's shim exists and fails."""
    code = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = answer.split()
    return int(major), int(minor)


def choose_python() -> str:
    """Return the first interpreter that runs and lies in the range of the lock."""
    for python in candidates():
        version = version_of(python)
        if version is not None and OLDEST <= version < (3, 14):
            return python
    fail("no Python 3.11, 3.12 or 3.13 with venv runs here. Install one, or name it: make setup PYTHON=/path/to/python3")
    raise AssertionError


def find_uv() -> str:
    """The uv on the PATH if it runs, else a pinned one in a venv of its own."""
    if (found := shutil.which("uv")) and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
        return found
    home = MADE / "uv"
    uv = home / "bin" / "uv"
    if not uv.exists():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV_PIN], check=True)
    return str(uv)


def members() -> list[Path]:
    """Our packages, in the order of their folders."""
    return [ROOT / "proto", *sorted(path.parent for path in (ROOT / "services").glob("*/pyproject.toml"))]


def fingerprint(python: str) -> str:
    """What the environment was made from; equal means nothing to do."""
    digest = hashlib.sha256(python.encode())
    for path in [Path(__file__), LOCK, *(member / "pyproject.toml" for member in members())]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def main() -> None:
    """Make or renew ``.venv``."""
    MADE.mkdir(exist_ok=True)
    python = choose_python()
    stamp, mark = MADE / "setup.stamp", fingerprint(python)
    if stamp.exists() and stamp.read_text() == mark and (VENV / "bin" / "python").exists():
        return
    uv = find_uv()
    env = {
        **os.environ,
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_COMPILE_BYTECODE": "1",
        "UV_LINK_MODE": os.environ.get("UV_LINK_MODE", "hardlink"),
    }
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env.pop("UV_PYTHON", None)

    def run(*arguments: str) -> None:
        subprocess.run([uv, *arguments], cwd=ROOT, env=env, check=True)

    print(f"setup: {python} -> .venv", flush=True)
    run("venv", "--quiet", "--clear", "--python", python, str(VENV))
    run("pip", "sync", "--quiet", "--python", str(VENV), "--require-hashes", str(LOCK))
    run(
        "pip",
        "install",
        "--quiet",
        "--python",
        str(VENV),
        "--no-deps",
        *(argument for member in members() for argument in ("-e", str(member))),
    )
    for member in members():  # uv leaves editable packages uncompiled: every process would compile them anew
        compileall.compile_dir(member / "src", quiet=1)
    stamp.write_text(mark)


if __name__ == "__main__":
    main()

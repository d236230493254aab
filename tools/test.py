"""The whole test suite: the page's unit tests, the SDK on the oldest Python, then everything on the newest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setup import MADE, OLDEST, candidates, find_uv, version_of

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 1800
SDK = ROOT / "services" / "sdk"


def run(*command: str | Path, limit_s: int = LIMIT_S) -> None:
    """Run one command; the first that fails ends everything."""
    status = subprocess.run([str(part) for part in command], cwd=ROOT, check=False, timeout=limit_s).returncode
    if status != 0:
        raise SystemExit(status)


def oldest_python() -> str | None:
    """An interpreter of the oldest version that we support, if this machine has one beside the one in use."""
    if sys.version_info[:2] == OLDEST:
        return None
    return next((python for python in candidates() if version_of(python) == OLDEST), None)


def test_sdk_on_oldest() -> None:
    """The SDK's tests on Python 3.11, where the scientific packages are older too."""
    python = oldest_python()
    if python is None:
        print("test: no Python 3.11 here; the SDK is tested on this Python alone", flush=True)
        return
    venv, lock = MADE / "oldest", ROOT / "requirements.lock"
    stamp = venv / "lock.copy"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_COMPILE_BYTECODE": "1"}
        env.pop("UV_PYTHON", None)
        uv = find_uv()
        for command in (
            ["venv", "--quiet", "--clear", "--python", python, str(venv)],
            ["pip", "sync", "--quiet", "--python", str(venv), "--require-hashes", str(lock)],
            ["pip", "install", "--quiet", "--python", str(venv), "--no-deps", "-e", str(SDK)],
        ):
            subprocess.run([uv, *command], cwd=ROOT, env=env, check=True, timeout=600)
        stamp.write_bytes(lock.read_bytes())
    print("test: the SDK on Python 3.11", flush=True)
    run(venv / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", SDK / "tests")


def main() -> None:
    """Run all; what is named on the command line goes to pytest and replaces the rest."""
    if sys.argv[1:]:
        run(sys.executable, "-m", "pytest", *sys.argv[1:])
        return
    run("npm", "--prefix", "frontend", "test", "--silent")
    test_sdk_on_oldest()
    run(sys.executable, "-m", "pytest", "-q")


if __name__ == "__main__":
    main()

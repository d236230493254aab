"""Debian packages that the tests need: install what is missing where that is allowed, else name it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path


def has_postgresql() -> bool:
    """Whether a PostgreSQL server is installed; its programs are not on the PATH."""
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("initdb") is not None


def has_chromium() -> bool:
    """Whether a browser for the browser tests is on the PATH."""
    return shutil.which("chromium") is not None


NEEDED: dict[str, Callable[[], bool]] = {
    "chromium": has_chromium,
    "postgresql": has_postgresql,
    "git": lambda: shutil.which("git") is not None,
    "procps": lambda: shutil.which("ps") is not None,
}


def main() -> None:
    """Install or name what is missing."""
    missing = [name for name, present in NEEDED.items() if not present()]
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SystemExit(
            f"setup-system: the tests need these programs; install them first: {' '.join(missing)} (names of Debian's packages)"
        )
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print(f"setup-system: installing {' '.join(missing)}", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], env=env, check=True, timeout=300)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
    subprocess.run(install, env=env, check=True, timeout=900, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

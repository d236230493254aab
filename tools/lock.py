"""Resolve all packages into ``requirements.lock`` (hashes, no addresses), or check that it still satisfies every pyproject.toml."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from setup import LOCK, ROOT, find_uv

HEADER = "# Made by `make lock`. One lock for every package, group and extra, Python 3.11 to 3.13; markers choose.\n"
EXPORT = [
    "export",
    "--quiet",
    "--all-packages",
    "--all-groups",
    "--all-extras",
    "--no-emit-workspace",
    "--format",
    "requirements.txt",
    "--no-annotate",
    "--no-header",
]


def export(*, upgrade: bool) -> str:
    """Resolve anew and return the lock's text; without ``upgrade`` its present pins are constraints."""
    env = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    with tempfile.TemporaryDirectory() as scratch:
        root = ROOT / "pyproject.toml"
        original = root.read_text()
        (ROOT / "uv.lock").unlink(missing_ok=True)
        try:
            if not upgrade:  # an upstream release must not turn the check red: our own pins constrain the resolution
                pins = [
                    f'"{line.rstrip(chr(92)).strip()}"'
                    for line in LOCK.read_text().splitlines()
                    if re.match(r"[a-zA-Z0-9_.\-\[\],]+==", line)
                ]
                pins = [pin.replace("'", "\\u0027") for pin in pins]
                root.write_text(original.replace("[tool.uv]\n", "[tool.uv]\nconstraint-dependencies = [" + ", ".join(pins) + "]\n"))
            subprocess.run([find_uv(), "lock", "--quiet"], cwd=ROOT, env=env, check=True)
            target = Path(scratch) / "requirements.txt"
            subprocess.run([find_uv(), *EXPORT, "--output-file", str(target)], cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
            return HEADER + target.read_text()
        finally:
            root.write_text(original)
            (ROOT / "uv.lock").unlink(missing_ok=True)


def main() -> None:
    """``lock.py`` resolves anew; ``lock.py --check`` exits 1 when the lock no longer satisfies a pyproject.toml."""
    if sys.argv[1:] == ["--check"]:
        if export(upgrade=False) != LOCK.read_text():
            raise SystemExit("requirements.lock does not satisfy every pyproject.toml any more: run `make lock` and commit it.")
        return
    LOCK.write_text(export(upgrade=True))


if __name__ == "__main__":
    main()

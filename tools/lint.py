"""Every check that needs no test run; says at the end which failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SOURCES = [str(path.relative_to(ROOT)) for path in [ROOT / "proto" / "src", *sorted((ROOT / "services").glob("*/src"))]]
LIMIT_S = 900
CHECKS: dict[str, list[str]] = {
    "format": [f"{BIN}/ruff", "format", "--check", "."],
    "lint": [f"{BIN}/ruff", "check", "."],
    "types": [f"{BIN}/mypy", *SOURCES],
    "import rules": [f"{BIN}/lint-imports"],
    "protos": [f"{BIN}/buf", "lint", "proto"],
    "generated code": [sys.executable, "tools/generate_protos.py", "--check"],
    "API client": [sys.executable, "tools/generate_api_client.py", "--check"],
    "lock": [sys.executable, "tools/lock.py", "--check"],
    "page": ["npm", "--prefix", "frontend", "run", "--silent", "lint"],
}


def main() -> None:
    """Run all checks, the ones named on the command line, or none that is unknown."""
    wanted = sys.argv[1:] or list(CHECKS)
    failed = []
    for name in wanted:
        print(f"── {name}", flush=True)
        if subprocess.run(CHECKS[name], cwd=ROOT, check=False, timeout=LIMIT_S).returncode != 0:
            failed.append(name)
    if failed:
        raise SystemExit(f"lint: failed: {', '.join(failed)}")
    print(f"lint: {len(wanted)} checks passed")


if __name__ == "__main__":
    main()

"""Build the page into the gateway's package. Quick and silent when nothing changed; needs Node 20.19 or newer, and Python alone."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
PAGE = ROOT / "services" / "gateway" / "src" / "scistudio_gateway" / "page"
MADE = ROOT / ".make"
OLDEST = (20, 19)
WANTED = "Node 20.19 or newer, with npm (https://nodejs.org, or your system's packages)"
BUILT_FROM = ("src", "public", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")


def fail(message: str) -> None:
    """Say what is wrong and what to do, and stop."""
    raise SystemExit(f"build_page: {message}")


def check_node() -> None:
    """Stop unless a Node that can build is on the PATH; it is asked by running it."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        fail(f"the page needs {WANTED}; found {'no npm beside ' + node if node else 'no node on the PATH'}. Install it and run make again.")
    answer = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    found = answer.stdout.strip()
    try:
        version = tuple(int(part) for part in found.removeprefix("v").split(".")[:2])
    except ValueError:
        version = ()
    if version < OLDEST:
        fail(f"the page needs {WANTED}; found {found or 'a node that does not run'} ({node}). Install a newer one and run make again.")


def source_files() -> Iterable[Path]:
    """Everything that the build reads, in a stable order."""
    for name in BUILT_FROM:
        path = FRONTEND / name
        yield from sorted(found for found in path.rglob("*") if found.is_file()) if path.is_dir() else [path]


def fingerprint(files: Iterable[Path]) -> str:
    """Names and content of ``files``; equal means nothing to do."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in files:
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(FRONTEND).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def npm(*arguments: str) -> None:
    """Run npm in ``frontend``; its messages are shown only when it fails."""
    done = subprocess.run(["npm", *arguments], cwd=FRONTEND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout, flush=True)
        fail(f"`npm {' '.join(arguments)}` in frontend/ failed; its messages are above.")


def install() -> None:
    """Packages as the lock has them, again only when the lock changed."""
    stamp, mark = MADE / "npm.stamp", fingerprint([FRONTEND / "package-lock.json"])
    if stamp.exists() and stamp.read_text() == mark and (FRONTEND / "node_modules" / ".package-lock.json").exists():
        return
    print("build_page: installing the page's packages", flush=True)
    npm("ci", "--no-fund", "--no-audit")
    stamp.write_text(mark)


def main() -> None:
    """Install what is missing and build what changed."""
    MADE.mkdir(exist_ok=True)
    stamp, mark = MADE / "page.stamp", fingerprint(source_files())
    packages_present = (FRONTEND / "node_modules" / ".package-lock.json").exists()
    if packages_present and stamp.exists() and stamp.read_text() == mark and (PAGE / "index.html").exists():
        return
    check_node()
    install()
    print("build_page: frontend -> services/gateway/src/scistudio_gateway/page", flush=True)
    npm("run", "--silent", "build")
    stamp.write_text(mark)


if __name__ == "__main__":
    main()

"""From what a catalog was made, in short: when one of these changes, the blocks and types are read again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FILE_LIMIT = 5_000
DROP_IN_FOLDERS = ("blocks", "types")
PACKAGES = "plugins/packages"


def fingerprint(project_dir: Path, library_dir: Path) -> str:
    """Return the fingerprint of the files that a probe of this project may read, and of the installed packages."""
    folders = [root / name for root in (project_dir, library_dir) for name in DROP_IN_FOLDERS]
    return _digest([str(project_dir), *_environment(), *_python_files([*folders, library_dir / PACKAGES])])


def sources_fingerprint(packages: Iterable[str]) -> str:
    """Return the fingerprint of the source files of packages, so that a package that is being written is read again."""
    return _digest(_python_files(folder for package in packages for folder in _folders_of(package)))


def _environment() -> Iterator[str]:
    yield sys.executable
    yield sys.version
    try:
        yield importlib.metadata.version("scistudio")
    except importlib.metadata.PackageNotFoundError:
        yield ""
    for entry in sys.path:
        if entry.endswith("-packages") and (status := _stat(entry)) is not None:
            yield f"{entry} {status.st_mtime_ns}"


def _folders_of(package: str) -> list[Path]:
    """Where a top-level package lies, without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []


def _python_files(folders: Iterable[Path]) -> Iterator[str]:
    n_files = 0
    for folder in folders:
        for parent, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name != "__pycache__" and not name.startswith("."))
            for name in sorted(files):
                path = f"{parent}/{name}"
                if name.endswith(".py") and n_files < FILE_LIMIT and (status := _stat(path)) is not None:
                    n_files += 1
                    yield f"{path} {status.st_mtime_ns} {status.st_size}"


def _stat(path: str) -> os.stat_result | None:
    """What the system knows of a file; None when it is gone."""
    try:
        return os.stat(path)  # noqa: PTH116  # thousands of them: a Path each would cost more than the call
    except OSError:
        return None


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()

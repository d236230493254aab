"""What lineage records about the environment of an execution."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import scistudio
from scistudio.blocks.dropins import MODULE_PREFIX
from scistudio.core import entry_points

# Their versions decide about results, and are known without any search once they are imported.
ALWAYS_RECORDED = ("numpy", "pandas", "pyarrow", "scipy", "skimage", "torch", "zarr")


@cache
def _host() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "scistudio": scistudio.__version__,
    }


def warm() -> None:
    """Read what no execution changes."""
    _host()
    _block_packages()
    version_of("numpy")


@cache
def version_of(distribution: str) -> str | None:
    """Return the version of an installed distribution, or ``None``. Looks for that one only."""
    try:
        return metadata.version(distribution)
    except (metadata.PackageNotFoundError, ValueError):
        return None


def describe(block_class: type, key_dependencies: Iterable[str]) -> dict[str, Any]:
    """Return interpreter, platform, and the versions of what this block computed with."""
    packages = {name: str(version) for name in ALWAYS_RECORDED if (version := getattr(sys.modules.get(name), "__version__", None))}
    own = _block_packages().get(block_class.__module__.partition(".")[0])
    for name in [*key_dependencies, *([own] if own else [])]:
        version = version_of(name)
        if version is not None:
            packages[name] = version
    return {**_host(), "packages": dict(sorted(packages.items())), "block": _code_of(block_class)}


@cache
def _block_packages() -> dict[str, str]:
    """Return the distribution of each installed block package, by the name of its top module."""
    points = entry_points.installed("scistudio.blocks")
    return {point.module.partition(".")[0]: point.dist.name for point in points if point.dist is not None}


def _code_of(block_class: type) -> dict[str, str]:
    """Return which class ran, from which file, and for a drop-in the hash of its text."""
    file = getattr(sys.modules.get(block_class.__module__), "__file__", None) or ""
    code = {"class": block_class.__qualname__, "module": block_class.__module__, "file": file}
    if block_class.__module__.startswith(MODULE_PREFIX) and Path(file).is_file():
        code["sha256"] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return code

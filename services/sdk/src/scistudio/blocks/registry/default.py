"""The registry of this process: packages, the user's library and the project that it works for."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from scistudio.blocks import dropins
from scistudio.blocks.registry.registry import BlockRegistry


@cache
def default_registry() -> BlockRegistry:
    """Return the registry of the project in ``SCISTUDIO_PROJECT_DIR``, scanned when first asked for."""
    project = os.environ.get("SCISTUDIO_PROJECT_DIR")
    return registry_of(Path(project) if project else None)


def registry_of(project: Path | None) -> BlockRegistry:
    """Scan and return the registry of a project; without one, of what is installed and the user's library."""
    registry = BlockRegistry()
    for library in libraries_of(project):
        registry.add_scan_dir(library / "blocks")
    registry.scan()
    return registry


def libraries_of(project: Path | None) -> list[Path]:
    """Return the folders that hold ``blocks`` and ``types``, the most specific first."""
    return ([project] if project else []) + [dropins.user_library()]

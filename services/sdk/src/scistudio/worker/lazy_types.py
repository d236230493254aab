"""The type registry of a block's process: core types at once, everything else when a name asks for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from scistudio.blocks.dropins import TYPES_FOLDER
from scistudio.blocks.registry.default import libraries_of
from scistudio.core.types import serialization
from scistudio.core.types.registry import Rank, TypeRegistry, TypeSpec


class LazyTypeRegistry(TypeRegistry):
    """Scans packages and drop-in files at the first name that it does not know: most blocks use core types alone."""

    def __init__(self) -> None:
        super().__init__()
        self.project: Path | None = None
        self._is_scanned = False

    def resolve(self, name_or_chain: Any) -> Any:
        """Resolve as the registry does, after a scan when the (most specific) name is unknown."""
        name = name_or_chain if isinstance(name_or_chain, str) else (list(name_or_chain) or [""])[-1]
        if name and name not in self._specs:
            self._scan_once()
        return super().resolve(name_or_chain)

    def load_class(self, name: str) -> type:
        """Load as the registry does, after a scan when the name is unknown."""
        if name not in self._specs:
            self._scan_once()
        return super().load_class(name)

    def all_types(self) -> dict[str, TypeSpec]:
        """Return everything there is."""
        self._scan_once()
        return super().all_types()

    def _scan_once(self) -> None:
        if self._is_scanned:
            return
        self._is_scanned = True
        for library in libraries_of(self.project):
            self.add_scan_dir(library / TYPES_FOLDER, rank=Rank.PROJECT if library == self.project else Rank.USER)
        self.scan_all()


@cache
def of_this_process() -> LazyTypeRegistry:
    """Return the registry with the core types in it; a parent makes it, its children go on with it."""
    registry = LazyTypeRegistry()
    registry.scan_builtins()
    return registry


def install(project: Path | None) -> LazyTypeRegistry:
    """Make the lazy registry the one that objects are rebuilt with, for ``project``."""
    registry = of_this_process()
    registry.project = project
    serialization._registry_instance = registry
    return registry

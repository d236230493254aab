"""The type registry of a block's process: core types at once, everything else when a name asks for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from scistudio.blocks.registry.default import libraries_of
from scistudio.core.types import serialization
from scistudio.core.types.registry import Rank, TypeRegistry, TypeSpec


class LazyTypeRegistry(TypeRegistry):
    """Scans packages and drop-in files at the first name that it does not know: most blocks use core types alone."""

    def __init__(self, project: Path | None) -> None:
        super().__init__()
        self._is_scanned = False
        for library in libraries_of(project):
            self.add_scan_dir(library / "types", rank=Rank.PROJECT if library == project else Rank.USER)

    @classmethod
    def after(cls, core: TypeRegistry, project: Path | None) -> LazyTypeRegistry:
        """Return a registry that starts with what ``core`` knows."""
        registry = cls(project)
        registry._specs, registry._classes, registry._ranks = dict(core._specs), dict(core._classes), dict(core._ranks)
        return registry

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
        if not self._is_scanned:
            self._is_scanned = True
            self.scan_all()


@cache
def core_registry() -> TypeRegistry:
    """Return a registry of the core types, made once in the process that children are forked from."""
    registry = TypeRegistry()
    registry.scan_builtins()
    return registry


def install(project: Path | None) -> LazyTypeRegistry:
    """Make a lazy registry the one of this process."""
    registry = LazyTypeRegistry.after(core_registry(), project)
    serialization._registry_instance = registry
    return registry

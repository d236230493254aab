"""Types by name: the built-in ones, those of packages, and those a person drops into a folder."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any, overload

from scistudio.core.types.colors import normalised_color

__all__ = ["TypeRegistry", "TypeSpec"]

logger = logging.getLogger(__name__)


class Rank(IntEnum):
    """Who wins a name: the higher one."""

    CORE = 0
    PACKAGE = 1
    USER = 2
    PROJECT = 3
    EXPLICIT = 4


@dataclass(frozen=True)
class TypeSpec:
    """What is known about a registered type without importing it."""

    name: str = ""
    module_path: str = ""
    class_name: str = ""
    base_type: str = ""
    description: str = ""
    file_path: str = ""
    is_dropin: bool = False
    ui_color: str | None = None
    ui_ring_color: str | None = None
    package_root: str = ""


class TypeRegistry:
    """Data types by class name, one flat namespace.

    Precedence of a name: project drop-in over user drop-in over package over core. Within one of these the first one stays,
    except that a later entry point replaces an earlier one. Every clash is written to :attr:`diagnostics`.
    """

    def __init__(self) -> None:
        self.diagnostics: list[str] = []
        self._specs: dict[str, TypeSpec] = {}
        self._classes: dict[str, type] = {}
        self._ranks: dict[str, Rank] = {}
        self._scan_dirs: list[tuple[Path, Rank]] = []
        self._package_dirs: list[Path] = []

    def register_class(self, cls: type, *, package_root: str = "") -> None:
        """Register a class under its name.

        Raises
        ------
        ValueError
            If it is not a data type, or its ``Meta`` breaks the rules for typed metadata.
        """
        self._add(cls, Rank.EXPLICIT, package_root=package_root)

    def register(self, name: str, spec: TypeSpec) -> None:
        """Register a type by its description; it is imported when first needed."""
        self._specs[name], self._ranks[name] = spec, Rank.EXPLICIT
        self._classes.pop(name, None)

    @overload
    def resolve(self, name_or_chain: str) -> TypeSpec: ...
    @overload
    def resolve(self, name_or_chain: list[str]) -> type | None: ...
    def resolve(self, name_or_chain: str | list[str]) -> TypeSpec | type | None:
        """Return the description of a name, or the class of the most specific registered name of a chain.

        Raises
        ------
        KeyError
            If a single name is not registered. A chain without any registered name gives ``None``.
        """
        if isinstance(name_or_chain, str):
            return self._spec(name_or_chain)
        known = next((name for name in reversed(name_or_chain) if name in self._specs), None)
        return None if known is None else self.load_class(known)

    def load_class(self, name: str) -> type:
        """Return the class registered under ``name``, importing it if that was not done yet."""
        if name not in self._classes:
            spec = self._spec(name)
            self._classes[name] = getattr(import_module(spec.module_path), spec.class_name)
        return self._classes[name]

    def is_instance(self, obj: Any, name: str) -> bool:
        """Say whether ``obj`` is of the type registered under ``name`` (by class, or by the name of one of its ancestors)."""
        return isinstance(obj, self.load_class(name)) or any(base.__name__ == name for base in type(obj).__mro__)

    def all_types(self) -> dict[str, TypeSpec]:
        """Return all descriptions by name."""
        return dict(self._specs)

    def add_scan_dir(self, directory: str | Path, *, rank: Rank | None = None) -> None:
        """Add a folder of drop-in type files. By default the first folder added is the project's, later ones are the user's."""
        default = Rank.USER if self._scan_dirs else Rank.PROJECT
        self._scan_dirs.append((Path(directory), default if rank is None else rank))

    def add_package_src_dir(self, directory: str | Path) -> None:
        """Add a folder with source trees of packages that are not installed."""
        self._package_dirs.append(Path(directory))

    def scan_builtins(self) -> None:
        """Register the core types."""
        from scistudio.core import types

        for name in ("DataObject", "Array", "Series", "DataFrame", "Text", "Artifact", "CompositeData"):
            self._add(getattr(types, name), Rank.CORE)

    def scan_all(self) -> None:
        """Register core types, those of entry points and package folders, then drop-ins."""
        from scistudio.core.types import discovery

        self.scan_builtins()
        for found in discovery.entry_point_types(self.diagnostics):
            self._add_found(found, Rank.PACKAGE, replaces_same_rank=True)
        for directory in self._package_dirs:
            for found in discovery.package_folder_types(directory, self.diagnostics):
                self._add_found(found, Rank.PACKAGE)
        for directory, rank in self._scan_dirs:
            for found in discovery.dropin_types(directory, self.diagnostics):
                self._add_found(found, rank)

    def rescan(self) -> None:
        """Forget what scanning found and scan again; types registered by hand stay."""
        kept = {name for name, rank in self._ranks.items() if rank is Rank.EXPLICIT}
        for known in (self._specs, self._classes, self._ranks):
            for name in set(known) - kept:
                del known[name]
        self.diagnostics.clear()
        self.scan_all()

    def _spec(self, name: str) -> TypeSpec:
        try:
            return self._specs[name]
        except KeyError:
            raise KeyError(f"Type {name!r} is not registered. Known types: {', '.join(sorted(self._specs))}.") from None

    def _add_found(self, found: Any, rank: Rank, *, replaces_same_rank: bool = False) -> None:
        """Register a type that a scan found; one that breaks the rules is reported and left out."""
        try:
            self._add(found.cls, rank, package_root=found.package_root, file_path=found.file_path, replaces_same_rank=replaces_same_rank)
        except ValueError as error:
            self._report(f"{found.origin}: {error}")

    def _add(self, cls: type, rank: Rank, *, package_root: str = "", file_path: str = "", replaces_same_rank: bool = False) -> None:
        from scistudio.core.types.meta_rules import check_meta_model

        spec = self._describe(cls, package_root, file_path)
        check_meta_model(cls)
        holder = self._ranks.get(spec.name)
        if holder is not None and self._specs[spec.name] != spec:
            wins = rank > holder or rank is Rank.EXPLICIT or (rank == holder and replaces_same_rank)
            winner, loser = (spec, self._specs[spec.name]) if wins else (self._specs[spec.name], spec)
            self._report(f"Type {spec.name!r} is defined twice: {_place(winner)} is used instead of {_place(loser)}.")
            if not wins:
                return
        self._specs[spec.name], self._classes[spec.name], self._ranks[spec.name] = spec, cls, rank

    def _describe(self, cls: type, package_root: str, file_path: str) -> TypeSpec:
        from scistudio.core.types.signature import chain_of

        chain = chain_of(cls) if isinstance(cls, type) else []
        if not chain:
            raise ValueError(f"{cls!r} is not a data type: it must be a subclass of DataObject.")
        doc = (vars(cls).get("__doc__") or "").strip()
        return TypeSpec(
            name=cls.__name__,
            module_path=cls.__module__,
            class_name=cls.__qualname__,
            base_type=chain[-2] if len(chain) > 1 else "",
            description=doc.splitlines()[0] if doc else "",
            file_path=file_path,
            is_dropin=bool(file_path),
            ui_color=self._color(cls, "ui_color"),
            ui_ring_color=self._color(cls, "ui_ring_color"),
            package_root=package_root,
        )

    def _color(self, cls: type, attribute: str) -> str | None:
        given = getattr(cls, attribute, None)
        color = normalised_color(given)
        if given is not None and color is None:
            self._report(f"Type {cls.__name__!r}: {attribute} {given!r} is not a CSS hex colour and is ignored.")
        return color

    def _report(self, message: str) -> None:
        logger.warning(message)
        self.diagnostics.append(message)


def _place(spec: TypeSpec) -> str:
    return spec.file_path or f"{spec.module_path}.{spec.class_name}"

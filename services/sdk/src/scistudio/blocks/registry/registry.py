"""The blocks that a project may use, from the core, packages, the user's library and the project itself."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import scistudio
from scistudio.blocks import dropins
from scistudio.blocks.base.block import Block
from scistudio.blocks.base.execution import progress
from scistudio.blocks.base.package_info import PackageInfo
from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.registry.builtins import BUILTINS
from scistudio.blocks.registry.checks import check_block
from scistudio.blocks.registry.errors import BlockRegistrationError, CapabilityRegistrationError, DropinFailure
from scistudio.blocks.registry.lookup import Question, find_one, fitting
from scistudio.blocks.registry.packages import FoundPackage, installed_packages, source_packages
from scistudio.blocks.registry.spec import BlockSpec, Scope, describe


class BlockRegistry:
    """Finds blocks and answers what they are; keyed by type id, the most specific scope wins.

    Nothing is scanned before ``scan``. Scanning executes the files and packages: do it in a worker.
    """

    def __init__(self) -> None:
        self._scan_dirs: list[tuple[Path, Scope]] = []
        self._source_dirs: list[Path] = []
        self._by_scope: dict[Scope, dict[str, BlockSpec]] = {scope: {} for scope in Scope}
        self._classes: dict[tuple[Scope, str], type[Block]] = {}
        self._packages: dict[str, PackageInfo] = {}
        self._failures: list[DropinFailure] = []
        self._package_failures: list[DropinFailure] = []
        self.diagnostics: list[str] = []

    def add_scan_dir(self, directory: str | Path) -> None:
        """Scan the drop-in files of ``directory`` too. Of two folders the one added first wins."""
        path = Path(directory).expanduser().resolve()
        scope = Scope.USER if path == (dropins.user_library() / "blocks").resolve() else Scope.PROJECT
        if (path, scope) not in self._scan_dirs:
            self._scan_dirs.append((path, scope))

    def add_package_src_dir(self, directory: str | Path) -> None:
        """Scan the package sources ``scistudio_blocks_*`` in ``directory`` too."""
        self._source_dirs.append(Path(directory).resolve())

    def scan(self) -> None:
        """Find everything anew: built-in blocks, packages, drop-in files."""
        self._classes.clear()
        self._packages.clear()
        self.diagnostics.clear()
        self._package_failures.clear()
        for scope in Scope:
            self._by_scope[scope].clear()
        for location in BUILTINS:
            module, _, name = location.partition(":")
            cls = getattr(importlib.import_module(module), name)
            self._register(cls, source="builtin", scope=Scope.CORE, version=scistudio.__version__, package_name="scistudio")
        for package in [*installed_packages(), *(found for folder in self._source_dirs for found in source_packages(folder))]:
            self._register_package(package)
        self.hot_reload()

    def hot_reload(self) -> None:
        """Read the drop-in files again; whatever they no longer define is gone."""
        self._failures.clear()
        for scope in (Scope.USER, Scope.PROJECT):
            self._by_scope[scope].clear()
        roots = dropins.import_roots(*(directory.parent for directory, _ in self._scan_dirs))
        for directory, scope in sorted(self._scan_dirs, key=lambda item: item[1]):
            for path in dropins.files_in(directory):
                self._register_dropin(path, scope, roots)

    def get_spec(self, name_or_type: str) -> BlockSpec | None:
        """Return the spec of a display name or a type id, or ``None``."""
        return self.all_specs().get(name_or_type) or self.specs_by_type().get(name_or_type)

    def specs_by_type(self) -> dict[str, BlockSpec]:
        """Return the winning specs by type id."""
        winning: dict[str, BlockSpec] = {}
        for scope in Scope:
            winning |= self._by_scope[scope]
        return winning

    def all_specs(self) -> dict[str, BlockSpec]:
        """Return the winning specs by display name; a name used twice is followed by the type id."""
        named: dict[str, BlockSpec] = {}
        for type_name, spec in self.specs_by_type().items():
            named[spec.name if spec.name not in named else f"{spec.name} ({type_name})"] = spec
        return named

    def specs_by_package(self) -> dict[str, list[BlockSpec]]:
        """Return the winning specs by the name of their package; drop-ins have none (``""``)."""
        grouped: dict[str, list[BlockSpec]] = {}
        for spec in self.specs_by_type().values():
            grouped.setdefault(spec.package_name, []).append(spec)
        return grouped

    def packages(self) -> dict[str, PackageInfo]:
        """Return the packages found, by name."""
        return dict(self._packages)

    def dropin_failures(self) -> list[DropinFailure]:
        """Return the drop-in files that could not be loaded, and why."""
        return list(self._failures)

    def package_failures(self) -> list[DropinFailure]:
        """Return the packages that could not be loaded, or not wholly, and why."""
        return list(self._package_failures)

    def instantiate(self, name: str, config: Mapping[str, Any] | None = None) -> Block:
        """Make the block of a display name or type id.

        Raises
        ------
        KeyError
            It is not registered.
        """
        spec = self.get_spec(name)
        if spec is None:
            raise KeyError(f"Block '{name}' is not registered.")
        return self._resolve_class(spec)(config)

    def _resolve_class(self, spec: BlockSpec) -> type[Block]:
        """Return the class behind a spec of this registry."""
        return self._classes[spec.scope, spec.type_name]

    def list_format_capabilities(
        self, *, direction: str | None = None, data_type: type | None = None, extension: str | None = None, format_id: str | None = None
    ) -> list[FormatCapability]:
        """Return the capabilities that fit, of all loaders and savers."""
        directions = [direction] if direction else ["load", "save"]
        everything = self._capabilities()
        return [item for each in directions for item in fitting(everything, Question(each, data_type, extension, format_id))]

    def find_loader_capability(
        self, data_type: type | None, extension: str | None = None, *, format_id: str | None = None, capability_id: str | None = None
    ) -> FormatCapability:
        """Return the capability that loads ``data_type`` from files with ``extension``."""
        return find_one(self._capabilities(), Question("load", data_type, extension, format_id, capability_id))

    def find_saver_capability(
        self, data_type: type | None, extension: str | None = None, *, format_id: str | None = None, capability_id: str | None = None
    ) -> FormatCapability:
        """Return the capability that saves ``data_type`` to files with ``extension``."""
        return find_one(self._capabilities(), Question("save", data_type, extension, format_id, capability_id))

    def spec_of_capability(self, capability: FormatCapability) -> BlockSpec:
        """Return the spec of the block that declares ``capability``."""
        return next(spec for spec in self.specs_by_type().values() if capability in spec.format_capabilities)

    def _capabilities(self) -> list[FormatCapability]:
        return [item for spec in self.specs_by_type().values() for item in spec.format_capabilities]

    def _register_package(self, package: FoundPackage) -> None:
        self._packages[package.info.name] = package.info
        self._package_failures += package.failures
        self.diagnostics += [f"{failure.file_path}: {failure.message}" for failure in package.failures]
        for cls in package.blocks:
            try:
                self._register(
                    cls,
                    source=package.source,
                    scope=Scope.PACKAGE,
                    version=package.version,
                    package_name=package.info.name,
                    runtime_import_roots=package.import_roots,
                )
            except BlockRegistrationError as error:
                self._package_failures.append(DropinFailure(cls.__module__, type(error).__name__, str(error)))
                self.diagnostics.append(str(error))

    def _register_dropin(self, path: Path, scope: Scope, roots: Iterable[str]) -> None:
        """Load one file; whatever it raises concerns that file alone. Should it end the process, its name is what was said last."""
        progress(None, f"reading {path}")
        try:
            module = dropins.load_file(path, roots)
        except (Exception, SystemExit) as error:
            self._failures.append(DropinFailure(str(path), type(error).__name__, dropins.failure_text(path, error)))
            return
        for cls in dropins.blocks_of(module):
            try:
                self._register(
                    cls,
                    source="tier1",
                    scope=scope,
                    version=scistudio.__version__,
                    file_path=str(path),
                    file_mtime=path.stat().st_mtime,
                    runtime_import_roots=list(roots),
                )
            except BlockRegistrationError as error:
                self._failures.append(DropinFailure(str(path), type(error).__name__, str(error)))

    def _register(self, cls: type[Block], *, scope: Scope, **known: Any) -> None:
        check_block(cls)
        spec = describe(cls, scope=scope, **known)
        first = self._by_scope[scope].get(spec.type_name)
        if first is not None:
            raise BlockRegistrationError(
                f"{cls.__name__}: the type id '{spec.type_name}' is taken by {first.class_name} of {first.file_path or first.module_path}."
            )
        self._check_capability_ids(spec)
        hidden = self.specs_by_type().get(spec.type_name)
        if hidden is not None:
            self.diagnostics.append(f"'{spec.type_name}' of {scope.name.lower()} replaces the one of {hidden.scope.name.lower()}.")
        self._by_scope[scope][spec.type_name] = spec
        self._classes[scope, spec.type_name] = cls

    def _check_capability_ids(self, spec: BlockSpec) -> None:
        """Capability ids are unique over all blocks of a registry, except over the one that this block replaces."""
        taken = {
            item.id: other.class_name
            for other in self.specs_by_type().values()
            if other.type_name != spec.type_name
            for item in other.format_capabilities
        }
        for item in spec.format_capabilities:
            if item.id in taken:
                raise CapabilityRegistrationError(f"{spec.class_name}: the capability id '{item.id}' is taken by {taken[item.id]}.")

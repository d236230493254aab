"""Block packages: installed ones found by their entry points, and source folders found by their modules."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scistudio.blocks.base.package_info import PackageInfo
from scistudio.blocks.dropins import importable
from scistudio.blocks.registry.checks import is_block
from scistudio.blocks.registry.errors import DropinFailure
from scistudio.core import entry_points

ENTRY_POINT_GROUP = "scistudio.blocks"
SOURCE_PREFIX = "scistudio_blocks_"


@dataclass
class FoundPackage:
    """What one package offers, and what of it could not be taken."""

    info: PackageInfo
    version: str
    source: str
    blocks: list[type[Any]] = field(default_factory=list)
    import_roots: list[str] = field(default_factory=list)
    failures: list[DropinFailure] = field(default_factory=list)


def installed_packages() -> Iterator[FoundPackage]:
    """Load every ``scistudio.blocks`` entry point, in the order of the distributions' names."""
    for point in sorted(entry_points.installed(ENTRY_POINT_GROUP), key=lambda point: (point.dist.name if point.dist else "", point.name)):
        origin = f"entry point {point.name} = {point.value}"
        name, version = (point.dist.name, point.dist.version) if point.dist else ("", "")
        found = FoundPackage(PackageInfo(name or point.name, version=version or "0"), version, "entry_point")
        if not version:
            found.failures.append(DropinFailure(origin, "BlockRegistrationError", "Its distribution cannot be found."))
        else:
            _fill(found, origin, point.load)
        yield found


def source_packages(folder: Path) -> Iterator[FoundPackage]:
    """Load the packages ``scistudio_blocks_*`` whose sources lie in ``folder``."""
    for path in sorted(folder.glob(f"{SOURCE_PREFIX}*")):
        if not (path / "__init__.py").is_file():
            continue
        found = FoundPackage(PackageInfo(path.name), "0", "package_src", import_roots=[str(folder)])
        with importable([str(folder)]):
            _fill(found, str(path), lambda name=path.name: _provider_of(importlib.import_module(name)))
        found.version = found.info.version
        yield found


def _provider_of(module: Any) -> Any:
    return getattr(module, "get_block_package", None) or module.get_blocks


def _fill(found: FoundPackage, origin: str, load: Any) -> None:
    """Call what the package offers and keep what is usable; its own code may raise anything."""
    try:
        provider = load()
        answer = [provider] if isinstance(provider, type) else provider()
    except (Exception, SystemExit) as error:
        found.failures.append(DropinFailure(origin, type(error).__name__, str(error) or type(error).__name__))
        return
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], PackageInfo):
        found.info, answer = answer
    if not isinstance(answer, list):
        message = f"It must return (PackageInfo, list of blocks) or a list, got {type(answer).__name__}."
        found.failures.append(DropinFailure(origin, "TypeError", message))
        return
    for item in answer:
        if is_block(item):
            found.blocks.append(item)
        else:
            found.failures.append(DropinFailure(origin, "TypeError", f"{item!r} is no concrete Block class."))

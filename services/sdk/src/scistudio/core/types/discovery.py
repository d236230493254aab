"""Finding types: entry points of installed packages, folders of packages, drop-in files.

What a person or package gets wrong costs that file or entry alone; it is logged and written to ``diagnostics``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from scistudio.core import entry_points

logger = logging.getLogger(__name__)

ENTRY_POINT_GROUP = "scistudio.types"
PACKAGE_PREFIX = "scistudio_blocks_"


@dataclass(frozen=True, slots=True)
class FoundType:
    """A class that a scan found, and where."""

    cls: type
    origin: str
    package_root: str = ""
    file_path: str = ""


def entry_point_types(diagnostics: list[str]) -> Iterator[FoundType]:
    """Yield the types of all installed packages, in the order of their entry points' names."""
    for entry in entry_points.installed(ENTRY_POINT_GROUP):
        origin = f"entry point {entry.name} = {entry.value}"
        with _reported(origin, diagnostics):
            provider = entry.load()
            yield from _checked_types(provider(), origin, _root_of(entry), diagnostics)


def package_folder_types(directory: Path, diagnostics: list[str]) -> Iterator[FoundType]:
    """Yield the types of the packages (``scistudio_blocks_*``) below a source folder that have ``get_types()``."""
    for package in sorted(directory.glob(f"{PACKAGE_PREFIX}*/__init__.py")) + sorted(
        directory.glob(f"*/src/{PACKAGE_PREFIX}*/__init__.py")
    ):
        source, name = package.parent.parent, package.parent.name
        with _reported(f"package folder {package.parent}", diagnostics), _on_sys_path(source):
            provider = getattr(import_module(name), "get_types", None)
            if provider is not None:
                yield from _checked_types(provider(), f"package folder {package.parent}", str(source), diagnostics)


def dropin_types(directory: Path, diagnostics: list[str]) -> Iterator[FoundType]:
    """Yield the types defined in the ``*.py`` files of a folder, except those whose name starts with ``_``."""
    from scistudio.core.types.signature import chain_of

    for file in sorted(directory.glob("[!_]*.py")) if directory.is_dir() else ():
        with _reported(str(file), diagnostics):
            module = load_dropin(file)
            for value in list(vars(module).values()):
                if isinstance(value, type) and chain_of(value) and value.__module__ == module.__name__:
                    yield FoundType(value, str(file), file_path=str(file))


def load_dropin(file: Path) -> ModuleType:
    """Import a drop-in file under a name of its own; the same unchanged file is imported once.

    Raises
    ------
    ValueError
        If the file's name is that of an installed module, which it would shadow.
    """
    if _shadows_installed(file):
        raise ValueError(f"{file.name} has the name of an installed module {file.stem!r}: rename the file.")
    mtime_ns = file.stat().st_mtime_ns
    digest = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]
    name = f"_scistudio_type_dropin_{file.stem}_{mtime_ns}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        with _on_sys_path(file.parent):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _shadows_installed(file: Path) -> bool:
    if file.stem in sys.stdlib_module_names or file.stem in sys.builtin_module_names:
        return True
    known = sys.modules.get(file.stem)
    spec = known.__spec__ if known is not None else importlib.util.find_spec(file.stem)
    origin = getattr(spec, "origin", None)
    return spec is not None and (origin is None or Path(origin).resolve().parent != file.resolve().parent)


def _root_of(entry: EntryPoint) -> str:
    """Return the folder that the package of an entry point is imported from."""
    spec = importlib.util.find_spec(entry.module.partition(".")[0])
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    return str(Path(locations[0]).parent) if locations else ""


def _checked_types(provided: Any, origin: str, package_root: str, diagnostics: list[str]) -> Iterator[FoundType]:
    if not isinstance(provided, list | tuple):
        raise TypeError(f"must return a list of types, not {type(provided).__name__}")
    for item in provided:
        if isinstance(item, type):
            yield FoundType(item, origin, package_root=package_root)
        else:
            _report(diagnostics, f"{origin}: {item!r} is not a type.")


@contextmanager
def _reported(origin: str, diagnostics: list[str]) -> Iterator[None]:
    """Report whatever foreign code raises, even ``SystemExit``, and go on with the next file."""
    try:
        yield
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        logger.debug("loading types failed", exc_info=error)
        _report(diagnostics, f"{origin}: {type(error).__name__}: {error}")


def _report(diagnostics: list[str], message: str) -> None:
    logger.warning(message)
    diagnostics.append(message)


@contextmanager
def _on_sys_path(directory: Path) -> Iterator[None]:
    """Let sibling files be imported by bare name while one of them is loaded."""
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))

"""Checking files of blocks and types before a project uses them."""

from __future__ import annotations

from pathlib import Path

from scistudio.blocks import dropins
from scistudio.blocks.registry.checks import check_block
from scistudio.blocks.registry.errors import BlockRegistrationError
from scistudio.core.types.base import DataObject
from scistudio.core.types.discovery import load_dropin
from scistudio.core.types.registry import TypeRegistry
from scistudio.testing.harness import BlockTestHarness


def files_of(path: Path) -> list[Path]:
    """Return the files to check: the one given, those of a folder, or those of a project's ``blocks`` and ``types``.

    Raises
    ------
    FileNotFoundError
        There is nothing at ``path``.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileNotFoundError(f"{path} does not exist.")
    folders = [path / name for name in ("types", "blocks") if (path / name).is_dir()]
    return [file for folder in folders or [path] for file in dropins.files_in(folder)]


def problems_of(file: Path) -> list[str]:
    """Return what is wrong with the blocks or types that ``file`` defines."""
    try:
        if file.parent.name == dropins.TYPES_FOLDER:
            return _problems_of_types(file)
        module = dropins.load_file(file, dropins.import_roots(file.resolve().parent.parent, dropins.user_library()))
    except (Exception, SystemExit) as error:  # an author's code raises whatever it likes
        return [f"{type(error).__name__}: {dropins.failure_text(file, error)}"]
    blocks = dropins.blocks_of(module)
    problems = [f"{cls.__name__}: {problem}" for cls in blocks for problem in _problems_of_block(cls)]
    return problems if blocks else ["It defines no block that can be made (a class with all abstract methods)."]


def _problems_of_block(cls: type) -> list[str]:
    problems = BlockTestHarness(cls).validate_block()
    try:
        check_block(cls)
    except BlockRegistrationError as error:
        problems.append(str(error).removeprefix(f"{cls.__name__}: "))
    return problems


def _problems_of_types(file: Path) -> list[str]:
    module = load_dropin(file)
    types = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]
    problems = []
    for cls in types:
        if issubclass(cls, DataObject):
            registry = TypeRegistry()
            try:
                registry.register_class(cls)
            except ValueError as error:
                problems.append(f"{cls.__name__}: {error}")
            problems += registry.diagnostics
    return problems if any(issubclass(cls, DataObject) for cls in types) else ["It defines no data type."]

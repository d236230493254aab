"""Finding the block class that a request names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from scistudio.blocks import dropins
from scistudio.blocks.base.block import Block
from scistudio.worker.failures import WorkerError


def block_class(request: Mapping[str, Any]) -> type[Block]:
    """Import the class: ``module:Class``, or ``Class`` from the file ``block_file_path``.

    Raises
    ------
    WorkerError
        There is no such module, file or class. Whatever the code itself raises passes.
    """
    location = str(request["block_class"])
    file = request.get("block_file_path")
    module_name, _, class_name = location.rpartition(":")
    if not file and not module_name:
        module_name, _, class_name = location.rpartition(".")
    module = _load_file(Path(file), request.get("project_dir")) if file else _import(module_name, location)
    found: Any = module
    for part in class_name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or not issubclass(found, Block):
        raise WorkerError(
            "block.not_found",
            f"There is no block class {class_name} in {file or module_name}.",
            hint="Was it renamed? Reload the blocks of the project.",
        )
    return found


def _load_file(path: Path, project: str | None) -> ModuleType:
    if not path.is_file():
        raise WorkerError("block.not_found", f"The block's file {path} does not exist.", hint="Put it back, or remove the block.")
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # at the end: modules beside the block, none that hide installed ones
    return dropins.load_file(path, cache=Path(project) / ".scistudio" / "cache" / "code" if project else None)


def _import(name: str, location: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise WorkerError(
                "block.not_found",
                f"The block {location} cannot be imported: there is no module {error.name}.",
                hint="Install the package in the environment of the worker.",
            ) from error
        raise

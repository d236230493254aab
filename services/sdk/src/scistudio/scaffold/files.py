"""Writing starters: whole or not at all, and never over what is there."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from pathlib import Path
from string import Template

from scistudio.scaffold import templates


class NameTakenError(Exception):
    """There is something of that name already."""


def new_block(name: str, library: Path) -> Path:
    """Write a starter into ``library/blocks`` and return its path.

    Raises
    ------
    ValueError
        The name makes no Python identifier.
    NameTakenError
        The file exists.
    """
    module, cls = _names(name)
    return _write(library / "blocks" / f"{module}.py", templates.BLOCK, {"class_name": cls, "label": _label(module)})


def new_type(name: str, library: Path) -> Path:
    """Write a starter into ``library/types`` and return its path; errors as in `new_block`."""
    module, cls = _names(name)
    if module in sys.stdlib_module_names:
        raise ValueError(f"'{module}' is the name of a module of Python: choose another.")
    return _write(library / "types" / f"{module}.py", templates.TYPE, {"class_name": cls, "label": _label(module)})


def init_block_package(name: str, parent: Path, *, display_name: str = "", author: str = "", description: str = "") -> Path:
    """Make the folder ``parent/name`` with an installable package of blocks, and return it.

    Raises
    ------
    NameTakenError
        The folder exists.
    """
    module, _ = _names(name)
    target = parent / name
    if target.exists():
        raise NameTakenError(f"{target} exists already.")
    label = display_name or _label(module)
    values = {
        "name": name,
        "module": module,
        "label": label,
        "label_text": repr(label),
        "author_text": repr(author),
        "description": (description or f"Blocks for SciStudio: {label}").replace('"', "'"),
        "description_text": repr(description or f"Blocks for SciStudio: {label}"),
        "version": _sdk_version(),
    }
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".") as staged:
        folder = Path(staged) / "package"
        for path, text in templates.PACKAGE.items():
            _write(folder / path.replace("MODULE", module), text, values)
        shutil.move(folder, target)
    return target


def _names(name: str) -> tuple[str, str]:
    """Return module and class name for what a person typed: ``smooth image``, ``SmoothImage`` and ``smooth-image`` agree."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    module = "_".join(words).lower()
    if not module.isidentifier() or keyword.iskeyword(module):
        raise ValueError(f"'{name}' makes no Python name: use letters and digits, letters first.")
    return module, "".join(word[0].upper() + word[1:] for word in words)


def _label(module: str) -> str:
    return module.replace("_", " ").capitalize()


def _sdk_version() -> str:
    import scistudio

    return ".".join(scistudio.__version__.split(".")[:2])


def _write(path: Path, template: str, values: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(Template(template).substitute(values))
    except FileExistsError as error:
        raise NameTakenError(f"{path} exists already.") from error
    return path

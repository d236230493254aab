"""Python files of a project or of the user's library that define blocks."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import inspect
import marshal
import os
import sys
import traceback
import uuid
from collections.abc import Iterable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from scistudio.blocks.base.block import Block

USER_LIBRARY = ".scistudio"
TYPES_FOLDER = "types"
MODULE_PREFIX = "_scistudio_dropin_"


def user_library() -> Path:
    """Return the folder of the user's own blocks, types and panels."""
    return Path.home() / USER_LIBRARY


def import_roots(*libraries: Path) -> list[str]:
    """Return the folders whose type files a drop-in imports by bare name, the most specific first."""
    return [str(library / TYPES_FOLDER) for library in libraries if (library / TYPES_FOLDER).is_dir()]


def files_in(folder: Path) -> list[Path]:
    """Return the files of ``folder`` that may define blocks, in the order of their names."""
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("_")) if folder.is_dir() else []


def load_file(path: Path, roots: Iterable[str] = (), *, cache: Path | None = None) -> ModuleType:
    """Execute a drop-in file as a module of its own and return it.

    The module's name is made from the file and its time, so that a changed file is another module.

    Parameters
    ----------
    cache
        Folder for compiled code, which is found there by the text it was made from. Beside the file no byte code is kept:
        a project folder may be read-only, and a file changed within the same second would be taken for the old one.
    """
    path = path.resolve()
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    name = f"{MODULE_PREFIX}{path.stem}_{path.stat().st_mtime_ns}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # before it runs: pickling and dataclasses look their module up
    try:
        code = compiled(path, cache)
        with importable(roots):
            exec(code, module.__dict__)  # noqa: S102 - that is what a drop-in is for
    except BaseException:
        del sys.modules[name]
        raise
    return module


def compiled(path: Path, cache: Path | None) -> CodeType:
    """Return the code of a file; compiling takes longer than forking, so a worker keeps the result."""
    text = path.read_bytes()
    if cache is None:
        return compile(text, str(path), "exec", dont_inherit=True)
    made_from = b"\0".join([sys.version.encode(), os.fsencode(path), text])
    kept = cache / f"{path.stem}-{hashlib.sha256(made_from).hexdigest()[:32]}"
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        code = marshal.loads(kept.read_bytes())  # noqa: S302 - our own file, in the project whose code we run anyway
        if isinstance(code, CodeType):
            return code
    code = compile(text, str(path), "exec", dont_inherit=True)
    with contextlib.suppress(OSError):
        _keep(kept, marshal.dumps(code), stale=f"{path.stem}-*")
    return code


def _keep(file: Path, data: bytes, stale: str) -> None:
    """Write ``data`` at once, and delete what was kept of earlier texts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    earlier = list(file.parent.glob(glob.escape(stale[:-1]) + "*"))
    staged = file.with_name(f".{uuid.uuid4().hex}")
    staged.write_bytes(data)
    staged.replace(file)
    for old in earlier:
        if old != file:
            old.unlink(missing_ok=True)


@contextlib.contextmanager
def importable(roots: Iterable[str]) -> Iterator[None]:
    """Let a drop-in import from ``roots``: folders of type files, and sources of packages."""
    path, finders = list(sys.path), list(sys.meta_path)
    make_importable(roots)
    try:
        yield
    finally:
        sys.path[:], sys.meta_path[:] = path, finders


def make_importable(roots: Iterable[str]) -> None:
    """Add ``roots`` to the import path for good: packages in front, folders of type files where they hide nothing."""
    new = [root for root in roots if root not in sys.path]
    types = [root for root in new if Path(root).name == TYPES_FOLDER]
    sys.path[:0] = [root for root in new if root not in types]
    sys.path.extend(types)
    if types:
        sys.meta_path.insert(0, TypeFiles(types))


class TypeFiles(MetaPathFinder, Loader):
    """Finds ``import spectrum`` in the folders of type files, as the very module that the type registry knows.

    The path alone would import the file a second time, and with it a second class for each of its types.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = list(folders)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec for the file of that name, if a folder holds one and nothing installed has the name."""
        if "." in fullname or fullname.startswith("_") or fullname in sys.stdlib_module_names:
            return None
        file = next((file for folder in self._folders if (file := Path(folder, f"{fullname}.py")).is_file()), None)
        if file is None or PathFinder.find_spec(fullname, [entry for entry in sys.path if entry not in self._folders]):
            return None
        return ModuleSpec(fullname, self, origin=str(file))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the type registry."""
        from scistudio.core.types.discovery import load_dropin

        return load_dropin(Path(str(spec.origin)))

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: it ran when it was loaded."""


def blocks_of(module: ModuleType) -> list[type[Block]]:
    """Return the block classes that ``module`` itself defines and that can be made, in the order of its text."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Block) and value.__module__ == module.__name__ and not inspect.isabstract(value)
    ]


def failure_text(path: Path, error: BaseException) -> str:
    """Say what went wrong in ``path``, with the line."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} (line {error.lineno})" if error.lineno else str(error.msg)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path.resolve())]
    text = str(error) or type(error).__name__
    return f"{text} (line {lines[-1]})" if lines else text

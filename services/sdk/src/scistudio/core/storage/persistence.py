"""From objects in memory to stored ones: what happens to a value when it leaves a block."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from scistudio.core.storage import flush_context
from scistudio.core.storage.ref import StorageReference

if TYPE_CHECKING:
    from scistudio.core.types.base import DataObject

T = TypeVar("T")


def flush(obj: T) -> T:
    """Write an object that lives in memory to the flush directory, and return the same object.

    Nothing happens to what is no data object, lies in place (an Artifact with a path), is stored already, has no payload, or
    has no backend; nor when no flush directory is set.

    Raises
    ------
    RuntimeError
        If the payload cannot be written; the cause is attached.
    """
    from scistudio.core.types.base import DataObject

    directory = flush_context.get_output_dir()
    if directory is None or not isinstance(obj, DataObject) or obj._storage_ref is not None or not has_payload(obj):
        return obj
    path = _new_path(obj, directory)
    try:
        obj.storage_ref = write_object(obj, path)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        raise RuntimeError(f"auto_flush failed for {type(obj).__name__}: {error} (writing to {path})") from error
    obj._transient_data = None
    return obj


def has_payload(obj: DataObject) -> bool:
    """Say whether there is something to write: not a mere description, a file in place, or a type without a backend."""
    from scistudio.core.storage.backend_router import get_router
    from scistudio.core.types import Artifact, CompositeData, Text

    try:
        get_router().name_for(type(obj))
    except KeyError:
        return False
    if isinstance(obj, Artifact) and obj.file_path is not None:
        return False
    if isinstance(obj, CompositeData):
        return True
    return obj._transient_data is not None or (isinstance(obj, Text) and obj.content is not None)


def write_object(obj: DataObject, path: str) -> StorageReference:
    """Write the payload of ``obj`` to ``path`` with the backend of its type."""
    from scistudio.core.storage.backend_router import get_router
    from scistudio.core.types import CompositeData

    router = get_router()
    name = router.name_for(type(obj))
    if isinstance(obj, CompositeData):
        from scistudio.core.storage.composite_store import CompositeStore

        return CompositeStore().write_object(obj, path)
    ref = StorageReference(name, path, format_hint(obj), write_hints(obj))
    return router.get(name).write(obj.get_in_memory_data(), ref)


def format_hint(obj: DataObject) -> str | None:
    """Return what tells a text file from any other."""
    from scistudio.core.types import Text

    return "text" if isinstance(obj, Text) else None


def write_hints(obj: DataObject) -> dict[str, Any] | None:
    """Return what a backend should know of an object beyond its payload."""
    from scistudio.core.types import Array, Text

    if isinstance(obj, Array):
        return {"axes": obj.axes, "chunk_shape": obj.chunk_shape}
    if isinstance(obj, Text):
        return {"encoding": obj.encoding}
    return None


def write_object_anywhere(obj: DataObject) -> StorageReference:
    """Write to the flush directory, or to a temporary one that ends with the process."""
    return write_object(obj, _new_path(obj, output_dir_or_temporary()))


def output_dir_or_temporary() -> str:
    """Return the flush directory, or a temporary one that ends with the process."""
    return flush_context.get_output_dir() or _temporary_dir()


def persist_array(
    data_or_pieces: Any,
    shape: tuple[int, ...],
    dtype: Any,
    output_dir: str | Path | None = None,
    chunks: tuple[int, ...] | None = None,
    *,
    axes: Iterable[str] | None = None,
) -> StorageReference:
    """Store an array, or an iterator of ``(index, piece)`` that is never whole in memory, and return its reference.

    Raises
    ------
    RuntimeError
        If no directory is given and none is set.
    """
    from scistudio.core.storage.zarr_backend import ZarrBackend

    path = f"{_required_dir(output_dir, 'persist_array')}/{uuid4().hex[:12]}.zarr"
    hints = {"axes": None if axes is None else list(axes), "chunk_shape": chunks}
    ref = StorageReference("zarr", path, metadata=hints)
    return ZarrBackend().write_pieces(data_or_pieces, tuple(shape), dtype, ref)


def persist_table(table: Any, output_dir: str | Path | None = None) -> StorageReference:
    """Store an Arrow table (or dict of columns) as Parquet and return its reference.

    Raises
    ------
    RuntimeError
        If no directory is given and none is set.
    """
    from scistudio.core.storage.arrow_backend import ArrowBackend

    path = f"{_required_dir(output_dir, 'persist_table')}/{uuid4().hex[:12]}.parquet"
    return ArrowBackend().write(table, StorageReference("arrow", path))


def _required_dir(given: str | Path | None, caller: str) -> str:
    directory = given or flush_context.get_output_dir()
    if not directory:
        raise RuntimeError(f"{caller} requires output_dir but none is configured.")
    return str(directory)


def _new_path(obj: DataObject, directory: str) -> str:
    from scistudio.core.storage.backend_router import get_router

    return f"{directory}/{uuid4().hex[:12]}{get_router().suffix_for(type(obj))}"


@cache
def _temporary_dir() -> str:
    directory = tempfile.mkdtemp(prefix="scistudio-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory

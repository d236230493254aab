"""From an object and a read to its answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_panels.errors import DataMissing, DataUnreadable, WrongRead
from scistudio_panels.reads.answer import Answer

if TYPE_CHECKING:
    from scistudio.core.types import DataObject


def kind_of(item: DataObject) -> str:
    """Return how an object can be looked at: array, table, text, file, composite or object."""
    from scistudio.core.types import Array, Artifact, CompositeData, DataFrame, Series, Text

    kinds: tuple[tuple[tuple[type, ...], str], ...] = (
        ((Array,), "array"),
        ((DataFrame, Series), "table"),
        ((Text,), "text"),
        ((Artifact,), "file"),
        ((CompositeData,), "composite"),
    )
    return next((kind for types, kind in kinds if isinstance(item, types)), "object")


def answer(item: DataObject, request: pb.ReadRequest) -> Answer:
    """Read; runs in a thread, since files are read and chunks are decoded."""
    kind, read = kind_of(item), request.WhichOneof("read") or "describe"
    _check_there(item)
    try:
        if read == "describe":
            return Answer("application/json", _describe(item, kind))
        return _reader(kind, read)(item, getattr(request, read))
    except FileNotFoundError as error:
        raise DataMissing(kind, str(error.filename or "")) from error
    except (OSError, ValueError, KeyError) as error:
        message = f"The stored {kind} cannot be read: {error}"
        raise DataUnreadable(message, hint="It may be damaged: run the block again to make it anew.") from error


def _check_there(item: DataObject) -> None:
    path = item.storage_ref.path if item.storage_ref is not None else getattr(item, "file_path", None)
    if path is not None and "://" not in str(path) and not Path(path).exists() and getattr(item, "content", None) is None:
        raise DataMissing(type(item).__name__, str(path))


def _reader(kind: str, read: str) -> Callable[[Any, Any], Answer]:
    from scistudio_panels.reads import arrays, files, tables

    fitting: dict[tuple[str, str], Callable[[Any, Any], Answer]] = {
        ("array", "array"): arrays.read_array,
        ("table", "table"): tables.read_table,
        ("text", "text"): files.read_text,
        ("text", "file"): files.read_file,
        ("file", "text"): files.read_text,
        ("file", "file"): files.read_file,
    }
    found = fitting.get((kind, read))
    if found is None:
        possible = [name for of, name in fitting if of == kind]
        hint = f"It can be read as: {', '.join(possible)}." if possible else "Only its description can be read."
        raise WrongRead(f"This {kind} cannot be read as {read}.", hint=hint)
    return found


def _describe(item: DataObject, kind: str) -> dict[str, Any]:
    from scistudio_panels.reads import arrays, files, tables

    details: dict[str, Callable[[Any], dict[str, Any]]] = {
        "array": arrays.describe,
        "table": tables.describe,
        "text": files.describe,
        "file": files.describe,
        "composite": lambda composite: {"slots": {name: type(composite.get(name)).__name__ for name in composite.slot_names}},
    }
    meta = item.meta.model_dump(mode="json") if item.meta is not None else None
    framework = item.framework.model_dump(mode="json")
    common = {"kind": kind, "type_name": type(item).__name__, "meta": meta, "user": item.user, "framework": framework}
    return common | (details[kind](item) if kind in details else {})

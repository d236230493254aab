"""From what ``run`` returned to what travels: checked against the ports, stored, and written as JSON."""

from __future__ import annotations

import json
import math
import shutil
import uuid
from pathlib import Path
from typing import Any

from scistudio.blocks.base import execution
from scistudio.blocks.base.block import Block
from scistudio.blocks.base.items import collect
from scistudio.blocks.base.ports import OutputPort, collection_fits, type_names
from scistudio.core.storage import flush_context, persistence
from scistudio.core.types.artifact import Artifact
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection
from scistudio.core.types.serialization import serialise_value
from scistudio.worker.failures import WorkerError


def checked(block: Block, outputs: Any) -> dict[str, Any]:
    """Wrap bare objects and lists on declared ports, and check presence and types.

    Raises
    ------
    WorkerError
        Naming the port.
    """
    if not isinstance(outputs, dict):
        raise WorkerError(
            "block.output_invalid",
            f"{type(block).__name__}.run must return a dict of outputs by port name, but returned {type(outputs).__name__}.",
            hint='End run with: return {"port": value}',
        )
    result = {key: value for key, value in outputs.items() if value is not None}
    for port in block.get_effective_output_ports():
        if port.name in result:
            result[port.name] = _fitting(port, result[port.name])
        elif port.required:
            raise WorkerError(
                "block.output_missing",
                f"Required output port '{port.name}' was not produced by the block.",
                hint=f"run returned {sorted(map(str, outputs))}.",
                port=port.name,
            )
    return result


def _fitting(port: OutputPort, value: Any) -> Any:
    """Return ``value`` as a Collection that may leave through ``port``."""
    wrapped = _wrapped(port, value)
    if isinstance(wrapped, Collection):
        is_empty_base = not wrapped and any(issubclass(kind, wrapped.item_type) for kind in port.accepted_types)
        if is_empty_base or collection_fits(port, wrapped):
            return wrapped
        found = wrapped.item_type.__name__
    elif not port.accepted_types:
        return wrapped
    else:
        found = type(value).__name__
    raise WorkerError(
        "block.output_type",
        f"Output port '{port.name}' takes {' or '.join(type_names(port.accepted_types))}, but the block returned {found}.",
        hint="Wrap plain values into a data object, or change the port's accepted types.",
        port=port.name,
    )


def _wrapped(port: OutputPort, value: Any) -> Any:
    if isinstance(value, DataObject):
        return Collection([value], item_type=type(value))
    if isinstance(value, list | tuple) and all(isinstance(item, DataObject) for item in value):
        return collect(list(value), port.accepted_types[0] if port.accepted_types else DataObject)
    return value


def stored(outputs: dict[str, Any]) -> dict[str, Any]:
    """Write what is still in memory and return the JSON of every output."""
    return {str(port): _strict(serialise_value(_flushed(str(port), value))) for port, value in outputs.items()}


def _flushed(port: str, value: Any) -> Any:
    items = list(value) if isinstance(value, Collection) else [value]
    for index, item in enumerate(items):
        if isinstance(item, DataObject):
            _flush_one(port, index, item)
    return value


def _flush_one(port: str, index: int, item: DataObject) -> None:
    if isinstance(item, Artifact) and item.storage_ref is None and item.file_path is not None:
        _settle(port, item)
        return
    try:
        persistence.flush(item)
    except RuntimeError as error:
        error.add_note(f"output port '{port}', item {index}")
        raise
    if item.storage_ref is None:
        raise WorkerError(
            "block.output_invalid",
            f"Output port '{port}', item {index}: the {type(item).__name__} holds no data to store.",
            hint="Give it data, or persist it and set its storage_ref.",
            port=port,
        )


def _settle(port: str, artifact: Artifact) -> None:
    """An Artifact stays where it lies, but not in the scratch folder, which is deleted."""
    path = Path(str(artifact.file_path)).absolute()
    if not path.exists():
        raise WorkerError(
            "block.output_missing", f"Output port '{port}': the Artifact's file {path} does not exist.", hint="Write it first.", port=port
        )
    scratch, folder = execution.current().scratch, flush_context.get_output_dir()
    if scratch is not None and folder is not None and path.is_relative_to(scratch):
        kept = Path(folder) / uuid.uuid4().hex[:12] / path.name
        kept.parent.mkdir(parents=True)
        path = Path(shutil.move(path, kept))
    artifact.file_path = path


def _strict(wire: Any) -> Any:
    """Write NaN and infinities in metadata as the texts that pydantic reads as such: strict JSON has none."""
    try:
        json.dumps(wire, allow_nan=False)
    except ValueError:
        return _without_specials(wire)
    return wire


def _without_specials(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_specials(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_specials(item) for item in value]
        case float() if math.isnan(value):
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return value

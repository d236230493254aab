"""Errors of a block as a person reads them: one sentence, a hint, and a traceback that begins in the block's code."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import scistudio

MAX_MESSAGE = 2000
MAX_TRACEBACK = 64 * 1024
_PACKAGE = str(Path(scistudio.__file__).parent)
_OWN_FOLDER = str(Path(_PACKAGE) / "worker")
# What the SDK's own blocks raise when data or settings do not fit; any other kind is a fault of the code.
_REFUSALS = (ValueError, TypeError, FileNotFoundError, FileExistsError)

# The code of an error that no rule below knows better, by what the worker was doing.
STAGE_CODES = {
    "import": "block.import_failed",
    "inputs": "block.invalid_input",
    "create": "block.raised",
    "validate": "block.invalid_input",
    "run": "block.raised",
    "outputs": "block.output_invalid",
}


class WorkerError(Exception):
    """A fault that the worker itself found."""

    def __init__(self, code: str, message: str, *, hint: str = "", port: str = "") -> None:
        super().__init__(message)
        self.code, self.hint, self.port = code, hint, port


def describe(error: BaseException, stage: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``error`` message for the host."""
    port = getattr(error, "port", "") or _port_of_lost_data(error, request)
    code, hint = _code_and_hint(error, stage)
    if port and isinstance(error, FileNotFoundError):
        code, hint = "storage.missing", "The file was deleted or moved since the workflow first referred to it: put it back."
    node = str(request.get("node_id") or "")
    subject = f"node/{node}" + (f"/port/{port}" if port else "")
    refused = isinstance(error, WorkerError) or _is_refusal(error)
    return {
        "type": "error",
        "code": code,
        "message": _clip(_printable(_message(error, stage, port)), MAX_MESSAGE),
        "hint": _printable(hint or ("" if refused else _place(error))),
        "subject": subject,
        "traceback": "" if refused else _printable(_traceback(error)),
    }


def _message(error: BaseException, stage: str, port: str) -> str:
    """Return the error's own text, with its kind where the text alone would not say what happened."""
    notes = "".join(f" [{note}]" for note in getattr(error, "__notes__", []))
    if isinstance(error, SystemExit):
        return f"The block ended its process (SystemExit: {error.code!r}) instead of returning outputs.{notes}"
    text = _own_text(error)
    if isinstance(error, WorkerError) or _is_refusal(error) or (stage == "validate" and isinstance(error, ValueError)):
        return text + notes
    where = f" (input port '{port}')" if port else ""
    return f"{type(error).__name__}{f': {text}' if text else ''}{where}{notes}"


def _is_refusal(error: BaseException) -> bool:
    """Whether a block of the SDK said on purpose what is wrong: its text is for people, and where it was raised helps nobody."""
    frames = traceback.extract_tb(error.__traceback__)
    if type(error) not in _REFUSALS or not frames or not all(frame.filename.startswith(_PACKAGE) for frame in frames):
        return False
    return (frames[-1].line or "").startswith("raise ")


def _own_text(error: BaseException) -> str:
    """Return what the error says; a class of the block's author may fail at that too."""
    try:
        return str(error).strip()
    except Exception as failure:  # whatever the author's __str__ raises
        return f"(its text cannot be shown: __str__ raised {type(failure).__name__})"


def _code_and_hint(error: BaseException, stage: str) -> tuple[str, str]:
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            return "storage.full", "There is no space left on the disk: free some and run the block again."
        if isinstance(cause, MemoryError):
            return "block.out_of_memory", "The block needs more memory than there is: give it less data, or raise its memory limit."
        code, hint = getattr(cause, "code", None), getattr(cause, "hint", None)
        if isinstance(code, str) and "." in code and isinstance(hint, str):
            return code, hint
    if isinstance(error, SystemExit):
        return "block.exited", "Raise an exception where the block fails, and return a dict where it does not."
    return STAGE_CODES.get(stage, "block.raised"), ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and what it came from."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _place(error: BaseException) -> str:
    """Return file and line of the innermost frame outside of the SDK, else of the innermost of all."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"See {error.filename}, line {error.lineno}."
    frames = traceback.extract_tb(error.__traceback__)
    authors = [frame for frame in frames if not frame.filename.startswith(_PACKAGE) and "site-packages" not in frame.filename]
    chosen = (authors or [frame for frame in frames if not frame.filename.startswith(_OWN_FOLDER)])[-1:]
    return f"See {chosen[0].filename}, line {chosen[0].lineno}, in {chosen[0].name}." if chosen else ""


def _traceback(error: BaseException) -> str:
    """Format the traceback from the author's first frame on, without what led there; of a long one the end matters."""
    shown = _from_first_outside(error, _PACKAGE) or _from_first_outside(error, _OWN_FOLDER)
    text = "".join(traceback.format_exception(type(error), error, shown))
    return text if len(text) <= MAX_TRACEBACK else "…\n" + text[-MAX_TRACEBACK:]


def _from_first_outside(error: BaseException, folder: str) -> TracebackType | None:
    shown = error.__traceback__
    while shown is not None and shown.tb_frame.f_code.co_filename.startswith(folder):
        shown = shown.tb_next
    return shown


def _port_of_lost_data(error: BaseException, request: Mapping[str, Any]) -> str:
    """Find the input port whose stored object, or file in place, could not be read."""
    paths: set[str] = set()
    for cause in _causes(error):
        reference = getattr(cause, "ref", None)
        paths |= {str(value) for value in (getattr(reference, "path", None), getattr(cause, "filename", None)) if value}
    if not paths:
        return ""
    return next((port for port, wire in (request.get("inputs") or {}).items() if paths & set(_paths_in(wire))), "")


def _paths_in(wire: Any) -> Iterator[str]:
    """Yield the paths that a port's value refers to."""
    if not isinstance(wire, dict):
        return
    metadata = wire.get("metadata") or {}
    yield from (str(path) for path in (wire.get("path"), metadata.get("file_path")) if path)
    for child in [*(wire.get("items") or []), *(metadata.get("slots") or {}).values()]:
        yield from _paths_in(child)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _printable(text: str) -> str:
    """Replace what is no Unicode (a path in another encoding)."""
    return text.encode(errors="backslashreplace").decode()

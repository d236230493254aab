"""Pieces of texts and files."""

from __future__ import annotations

import codecs
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistudio_proto.panels.v1 import panels_pb2 as pb

from scistudio_panels.errors import DataMissing, WrongRead
from scistudio_panels.reads.answer import Answer

if TYPE_CHECKING:
    from scistudio.core.types import Artifact, Text

TEXT_BYTES, LONGEST_TEXT_BYTES = 64 * 1024, 1024 * 1024
LONGEST_FILE_BYTES = 64 * 1024 * 1024


def path_of(item: Artifact | Text) -> Path | None:
    """Return the file of an object, or None for text that travels inline."""
    own = getattr(item, "file_path", None) or (item.storage_ref.path if item.storage_ref is not None else None)
    return None if own is None else Path(own)


def media_type_of(item: Artifact | Text) -> str:
    """Return the type that the object declares, else the one that its name suggests."""
    path = path_of(item)
    guessed = mimetypes.guess_type(path.name)[0] if path is not None else None
    return str(getattr(item, "mime_type", None) or guessed or "application/octet-stream")


def describe(item: Artifact | Text) -> dict[str, Any]:
    """Return name, size and type of a file."""
    path = path_of(item)
    if path is None:
        return {"media_type": "text/plain", "total_bytes": len((getattr(item, "content", None) or "").encode())}
    if path.is_dir():
        return {"media_type": "inode/directory", "file_name": path.name}
    return {"media_type": media_type_of(item), "total_bytes": path.stat().st_size, "file_name": path.name}


def read_text(item: Artifact | Text, read: pb.TextRead) -> Answer:
    """Read a piece of text as UTF-8, without cutting a character."""
    limit = min(read.limit or TEXT_BYTES, LONGEST_TEXT_BYTES)
    encoding = getattr(item, "encoding", None) or "utf-8"
    content = getattr(item, "content", None)
    path = path_of(item)
    if path is None or content is not None:
        data = (content or "").encode()
        total, piece, encoding = len(data), data[read.offset : read.offset + limit], "utf-8"
    else:
        total, piece = _piece(path, read.offset, limit)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    text = decoder.decode(piece, final=read.offset + len(piece) >= total)
    end = read.offset + len(piece) - len(decoder.getstate()[0])  # half a character waits for the next piece
    metadata = {"total_bytes": total, "offset": read.offset, "next_offset": end if end < total else None, "truncated": end < total}
    return Answer("text/plain; charset=utf-8", metadata, text.encode())


def read_file(item: Artifact | Text, read: pb.FileRead) -> Answer:
    """Read a piece of a file, as it is."""
    path = path_of(item)
    if path is None:
        data = (getattr(item, "content", None) or "").encode()
        return Answer("text/plain; charset=utf-8", {"total_bytes": len(data), "file_name": "text.txt"}, data)
    limit = min(read.limit or LONGEST_FILE_BYTES, LONGEST_FILE_BYTES)
    total, piece = _piece(path, read.offset, limit)
    end = read.offset + len(piece)
    metadata = {"total_bytes": total, "offset": read.offset, "truncated": end < total, "file_name": path.name}
    return Answer(media_type_of(item), metadata, piece)


def _piece(path: Path, offset: int, limit: int) -> tuple[int, bytes]:
    if offset < 0:
        raise WrongRead(f"A read cannot start at {offset}.", hint="Offsets count from 0.")
    if path.is_dir():
        raise WrongRead(f"{path.name} is a folder.", subject=str(path), hint="Only files can be read.")
    try:
        with path.open("rb") as file:
            total = path.stat().st_size
            file.seek(offset)
            return total, file.read(limit)
    except FileNotFoundError as error:
        raise DataMissing("file", str(path)) from error

"""Files: texts and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scistudio.core.storage import content_hash
from scistudio.core.storage.errors import reading
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.staging import staged

__all__ = ["FilesystemBackend"]

_TEXT_FORMATS = frozenset({"plain", "markdown", "json", "text", "csv"})


class FilesystemBackend:
    """One file a payload: ``str`` or ``bytes``."""

    def write(self, data: str | bytes, ref: StorageReference) -> StorageReference:
        """Write a text or bytes; the reference gets ``size`` and ``content_hash``.

        Raises
        ------
        TypeError
            If ``data`` is neither.
        """
        if not isinstance(data, str | bytes | bytearray | memoryview):
            raise TypeError(f"FilesystemBackend.write expects str or bytes, got {type(data).__name__}")
        encoding = (ref.metadata or {}).get("encoding") or "utf-8"
        content = data.encode(encoding) if isinstance(data, str) else bytes(data)
        with staged(ref.path) as staging:
            staging.write_bytes(content)
        metadata: dict[str, Any] = {"size": len(content), "content_hash": content_hash.of_bytes(content)}
        if encoding != "utf-8":
            metadata["encoding"] = encoding
        return StorageReference(ref.backend, ref.path, ref.format, metadata)

    def read(self, ref: StorageReference) -> str | bytes:
        """Return a text when the format of the reference says so, else bytes."""
        content = self.read_bytes(ref)
        if not _is_text(ref.format):
            return content
        with reading(ref, "read", UnicodeDecodeError):
            return content.decode((ref.metadata or {}).get("encoding") or "utf-8")

    def read_bytes(self, ref: StorageReference) -> bytes:
        """Return the whole file."""
        with reading(ref, "read"):
            return Path(ref.path).read_bytes()

    def slice(self, ref: StorageReference, *args: Any) -> bytes:
        """Return ``length`` bytes from ``offset``."""
        offset, length = args
        with reading(ref, "slice"), Path(ref.path).open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def iter_chunks(self, ref: StorageReference, chunk_size: int) -> Iterator[bytes]:
        """Yield the file in pieces of at most ``chunk_size`` bytes."""
        with reading(ref, "iter_chunks"), Path(ref.path).open("rb") as file:
            while piece := file.read(chunk_size):
                yield piece

    def get_metadata(self, ref: StorageReference) -> dict[str, Any]:
        """Return size, time of change, name and suffix."""
        path = Path(ref.path)
        with reading(ref, "get_metadata"):
            stat = path.stat()
        return {"size": stat.st_size, "mtime": stat.st_mtime, "name": path.name, "suffix": path.suffix}


def _is_text(format_name: str | None) -> bool:
    return format_name is not None and (format_name in _TEXT_FORMATS or format_name.startswith("text"))

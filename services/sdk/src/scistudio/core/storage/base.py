"""What a storage backend does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from scistudio.core.storage.ref import StorageReference

__all__ = ["StorageBackend"]


@runtime_checkable
class StorageBackend(Protocol):
    """Reads and writes one kind of payload. Writes are atomic: a killed writer leaves nothing at the path of its reference."""

    def write(self, data: Any, ref: StorageReference) -> StorageReference:
        """Store ``data`` at ``ref.path`` and return the reference with its format and metadata filled in."""
        ...

    def read(self, ref: StorageReference) -> Any:
        """Return the whole payload."""
        ...

    def slice(self, ref: StorageReference, *args: Any) -> Any:
        """Return a part of the payload; what ``args`` mean is the backend's own."""
        ...

    def iter_chunks(self, ref: StorageReference, chunk_size: int) -> Iterator[Any]:
        """Yield the payload in pieces of at most ``chunk_size`` rows, slabs or bytes."""
        ...

    def get_metadata(self, ref: StorageReference) -> dict[str, Any]:
        """Return what can be known without reading the payload."""
        ...

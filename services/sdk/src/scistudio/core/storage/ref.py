"""References to stored payloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from scistudio.stability import stable

__all__ = ["StorageReference"]


def _plain_path(path: str) -> str:
    """Turn a ``file://`` URI into the path it names, and back slashes into forward ones. Other URIs stay."""
    if path.startswith("file://"):
        return unquote(urlsplit(path).path)
    return path.replace("\\", "/")


@stable(since="0.3.1")
@dataclass
class StorageReference:
    """Where a payload lives and how it is stored there.

    Parameters
    ----------
    backend
        ``zarr``, ``arrow``, ``filesystem`` or ``composite``.
    path
        A local path (``file://`` is accepted and made plain).
    format
        What the backend needs to know beyond the path, such as ``parquet``.
    metadata
        What the writer found out: shape and dtype, columns, ``content_hash`` …
    """

    backend: str
    path: str
    format: str | None = None
    metadata: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.path = _plain_path(str(self.path))

    @property
    def content_hash(self) -> str | None:
        """Hash of the content as it was written, where known."""
        return (self.metadata or {}).get("content_hash")

"""Artifact: files whose inside is not ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scistudio.core.types.base import DataObject
from scistudio.stability import stable

__all__ = ["Artifact"]


@stable(since="0.3.1")
class Artifact(DataObject):
    """A file or folder, referenced where it lies: never copied, never flushed while ``file_path`` is set.

    Parameters
    ----------
    file_path
        The file or folder.
    mime_type, description
        What it is, for people and viewers.
    **slots
        Those of :class:`DataObject`.
    """

    def __init__(self, *, file_path: str | Path | None = None, mime_type: str | None = None, description: str = "", **slots: Any) -> None:
        super().__init__(**slots)
        self.file_path = None if file_path is None else Path(file_path)
        self.mime_type = mime_type
        self.description = description

    def to_memory(self) -> Any:
        """Return the bytes of the file.

        Raises
        ------
        FileNotFoundError, IsADirectoryError
            If ``file_path`` is gone, or is a folder: a folder has no bytes, its files do.
        """
        if self._storage_ref is None and self.file_path is not None:
            return self.file_path.read_bytes()
        return super().to_memory()

    def get_in_memory_data(self) -> Any:
        """Return the bytes of the file, or the payload in memory."""
        if self._storage_ref is None and self.file_path is not None:
            return self.file_path.read_bytes()
        return super().get_in_memory_data()

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return path, media type and description."""
        return {
            "file_path": None if obj.file_path is None else str(obj.file_path),
            "mime_type": obj.mime_type,
            "description": obj.description,
        }

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return path, media type and description."""
        path = metadata.get("file_path")
        return {
            "file_path": Path(path) if path else None,
            "mime_type": metadata.get("mime_type"),
            "description": metadata.get("description") or "",
        }

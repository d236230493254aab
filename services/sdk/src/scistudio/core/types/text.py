"""Text: small textual payloads."""

from __future__ import annotations

from typing import Any

from scistudio.core.types.base import DataObject
from scistudio.stability import stable

__all__ = ["Text"]

INLINE_TEXT_BYTES = 64 * 1024


@stable(since="0.3.1")
class Text(DataObject):
    """A text with its format.

    Parameters
    ----------
    content
        The text. ``None`` with a reference: it is read when asked for.
    format
        plain, markdown, json, html, xml, yaml, toml …
    encoding
        Of the stored file.
    **slots
        Those of :class:`DataObject`.
    """

    def __init__(self, *, content: str | None = None, format: str = "plain", encoding: str = "utf-8", **slots: Any) -> None:
        super().__init__(**slots)
        self._content = content
        self.format = format
        self.encoding = encoding

    @property
    def content(self) -> str | None:
        """The text; read from storage when it did not travel with the object."""
        if self._content is None and self._storage_ref is not None:
            self._content = self._read()
        return self._content

    @content.setter
    def content(self, content: str | None) -> None:
        self._content = content

    def to_memory(self) -> str:
        """Return the text."""
        content = self.content if self.content is not None else self._transient_data
        if content is None:
            raise ValueError("Cannot load data: no storage reference set.")
        return str(content)

    def get_in_memory_data(self) -> str | bytes:
        """Return the text as it is stored: encoded, unless it is UTF-8 anyway."""
        content = self.content if self.content is not None else self._transient_data
        if content is None:
            raise ValueError(f"{type(self).__name__} has no in-memory data to persist.")
        return content

    def _read(self) -> str:
        from scistudio.core.storage.errors import reading
        from scistudio.core.storage.filesystem import FilesystemBackend

        assert self._storage_ref is not None
        content = FilesystemBackend().read_bytes(self._storage_ref)
        with reading(self._storage_ref, "read", UnicodeDecodeError):
            return content.decode(self.encoding)

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return the text itself up to 64 KiB, its format and encoding."""
        content = obj._content
        if content is not None and obj.storage_ref is not None and len(content.encode("utf-8", "surrogatepass")) > INLINE_TEXT_BYTES:
            content = None
        return {"content": content, "format": obj.format, "encoding": obj.encoding}

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return content, format and encoding."""
        return {
            "content": metadata.get("content"),
            "format": metadata.get("format") or "plain",
            "encoding": metadata.get("encoding") or "utf-8",
        }

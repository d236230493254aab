"""Texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scistudio.blocks.io.formats.decoding import read_text_file
from scistudio.core.types import Text

FORMATS = {
    ".txt": "plain",
    ".log": "plain",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".json": "json",
}


def read_text(path: Path, options: Mapping[str, Any], **slots: Any) -> Text:
    """Read a text in the ``encoding`` given, by default UTF-8 or what its byte order mark says. Line ends are kept."""
    decoded = read_text_file(path, options.get("encoding"))
    return Text(content=decoded.data.decode(), format=FORMATS.get(path.suffix.lower(), "plain"), encoding=decoded.encoding, **slots)


def write_text(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write a text in its own encoding, or in the ``encoding`` given."""
    if obj.content is None:
        raise ValueError("The Text has no content to save.")
    encoding = options.get("encoding") or obj.encoding
    try:
        path.write_bytes(obj.content.encode(encoding))
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[error.start]!r} cannot be written in {encoding}; choose utf-8.") from error

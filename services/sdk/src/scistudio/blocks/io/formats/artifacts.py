"""Artifacts: any file or folder, used where it lies."""

from __future__ import annotations

import json
import mimetypes
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scistudio.core.types import Artifact

SIDECAR_SUFFIX = ".meta.json"


def read_artifact(path: Path, options: Mapping[str, Any], **slots: Any) -> Artifact:
    """Refer to a file or folder. What a sidecar ``<path>.meta.json`` says is put into ``user``."""
    user: dict[str, Any] = {}
    sidecar = path.with_name(path.name + SIDECAR_SUFFIX)
    if sidecar.is_file():
        try:
            content = json.loads(sidecar.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{sidecar} is no JSON: {error}") from error
        user = content if isinstance(content, dict) else {"sidecar": content}
    return Artifact(file_path=path, mime_type=mimetypes.guess_type(path.name)[0], user=user, **slots)


def write_artifact(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Copy the file or folder."""
    source = obj.file_path if obj.file_path is not None else None
    if source is None:
        path.write_bytes(obj.get_in_memory_data())
    elif Path(source).is_dir():
        shutil.copytree(source, path)
    else:
        shutil.copyfile(source, path)


def sidecar_of(obj: Any) -> dict[str, Any]:
    """Return what a saved copy should say about itself."""
    said = {"mime_type": obj.mime_type, "description": obj.description, "original_path": str(obj.file_path) if obj.file_path else None}
    return {key: value for key, value in said.items() if value}

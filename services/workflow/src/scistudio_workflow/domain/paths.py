"""Which texts are paths inside a project. One rule for every path that comes from outside."""

from __future__ import annotations

import posixpath

from scistudio_workflow.errors import PathRefused

NAME_LIMIT_BYTES = 255
PATH_LIMIT_BYTES = 4_000


def inside(path: str) -> str:
    """Return a project-relative path in its shortest form, or refuse it.

    Links are not followed here; whoever opens the file looks where it really lies.

    Raises
    ------
    PathRefused
        For an absolute path, one that leaves the folder, and what no file can be named.
    """
    if (reason := _reason_against(path)) is not None:
        raise PathRefused(
            f"The path {path[:200]!r} {reason}.",
            subject=path[:200],
            hint="Name a file inside the project folder, relative to it, with forward slashes.",
        )
    return posixpath.normpath(path)


def _reason_against(path: str) -> str | None:
    if not path.strip() or posixpath.normpath(path) == ".":
        return "names no file"
    if any(ord(character) < 32 or ord(character) == 127 for character in path):
        return "holds a control character"
    if path.startswith("/"):
        return "is absolute"
    if "\\" in path:
        return "holds a backslash"
    parts = path.split("/")
    if ".." in parts:
        return "holds `..`"
    if any(len(part.encode(errors="replace")) > NAME_LIMIT_BYTES for part in parts):
        return f"has a part of more than {NAME_LIMIT_BYTES} bytes"
    if len(path.encode(errors="replace")) > PATH_LIMIT_BYTES:
        return f"is longer than {PATH_LIMIT_BYTES} bytes"
    return None

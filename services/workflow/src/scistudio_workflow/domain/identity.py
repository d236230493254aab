"""A workflow's run identity, which follows from its file alone, and back."""

from __future__ import annotations

HOME = "workflows"
SUFFIX = ".yaml"
SUFFIXES = (".yaml", ".yml")


def identity_of(path: str) -> str:
    """Return the run identity of a workflow file.

    ``workflows/<stem>.yaml`` is its stem; every other file is ``@`` and the components of its path joined by ``@``, in which ``%`` and
    ``@`` are escaped. The result is one path segment, and no two files share one.

    Parameters
    ----------
    path : str
        Project-relative, with forward slashes.
    """
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(SUFFIX)
    if folder == HOME and name.endswith(SUFFIX) and stem not in ("", ".", "..") and not stem.startswith("@"):
        return stem
    return "".join("@" + part.replace("%", "%25").replace("@", "%40") for part in path.split("/"))


def path_of(identity: str) -> str:
    """Return the project-relative path of the file that has this run identity."""
    if not identity.startswith("@"):
        return f"{HOME}/{identity}{SUFFIX}"
    return "/".join(part.replace("%40", "@").replace("%25", "%") for part in identity[1:].split("@"))

"""Errors of the agents' tools."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class NoProjectChosen(SciStudioError):
    """The session names no project, and not exactly one is open."""

    kind, code = Kind.CONFLICT, "mcp.no_project"

    def __init__(self, names: list[str]) -> None:
        opened = f"Open are: {', '.join(names)}." if names else "None is open."
        hint = "Connect to /mcp?project=<id>, or open one with open_project; list_projects shows the ids."
        super().__init__(f"It is not clear which project is meant. {opened}", hint=hint)


class BadReference(SciStudioError):
    """What a tool was given is no reference."""

    kind, code = Kind.INVALID, "mcp.bad_reference"


class NoSuchOutput(SciStudioError):
    """The block has no such output in this run."""

    kind, code = Kind.NOT_FOUND, "mcp.no_output"

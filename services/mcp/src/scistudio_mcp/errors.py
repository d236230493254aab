"""Errors of the agents' tools."""

from __future__ import annotations

from pydantic import ValidationError
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


class BadArguments(SciStudioError):
    """A tool was called with arguments that it does not take."""

    kind, code = Kind.INVALID, "mcp.bad_arguments"

    def __init__(self, tool: str, faults: ValidationError) -> None:
        each = [f"'{'.'.join(map(str, fault['loc']))}' {_said(fault['type'], fault['msg'])}" for fault in faults.errors()]
        hint = "The tool's input schema (list the tools) names the arguments it takes."
        super().__init__(f"{tool} cannot be called like this: {'; '.join(each)}.", subject=f"tool/{tool}", hint=hint)


def _said(kind: str, message: str) -> str:
    return {"missing_argument": "is missing", "unexpected_keyword_argument": "is not known"}.get(kind, f"does not fit ({message})")

"""Errors of reads."""

from __future__ import annotations

from scistudio_platform.errors import Kind, SciStudioError


class NoSuchItem(SciStudioError):
    """The port holds fewer items."""

    kind, code = Kind.NOT_FOUND, "data.no_such_item"

    def __init__(self, port: str, index: int, n_items: int) -> None:
        hint = f"Items are numbered from 0; there are {n_items}."
        super().__init__(f"Output {port!r} has no item {index}.", subject=f"port/{port}/{index}", hint=hint)


class DataMissing(SciStudioError):
    """What a reference names is no longer there."""

    kind, code = Kind.NOT_FOUND, "data.removed"

    def __init__(self, what: str, path: str) -> None:
        hint = "Run the block again to make it anew."
        super().__init__(f"The data of this {what} was removed: {path} does not exist.", subject=path, hint=hint)


class DataUnreadable(SciStudioError):
    """The stored data is damaged."""

    kind, code = Kind.CONFLICT, "data.unreadable"


class WrongRead(SciStudioError):
    """This read does not fit the data, or asks for what is not there."""

    kind, code = Kind.INVALID, "data.wrong_read"


class BadReference(SciStudioError):
    """The reference cannot be used."""

    kind, code = Kind.INVALID, "data.bad_reference"


class OutsideProject(SciStudioError):
    """A reference from a client names something outside its project."""

    kind, code = Kind.DENIED, "data.outside_project"

    def __init__(self, path: str) -> None:
        hint = "Only data of the project can be read by reference."
        super().__init__("This reference lies outside the project.", subject=path, hint=hint)

"""What goes wrong with databases, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from scistudio_platform.errors import Kind, SciStudioError

# By SQLite's extended result code, its first word or two: what it means for a person.
_SQLITE = {
    "SQLITE_BUSY": "another program holds it locked",
    "SQLITE_LOCKED": "another program holds it locked",
    "SQLITE_FULL": "no space left on its disk",
    "SQLITE_IOERR": "its disk cannot be read or written",
    "SQLITE_READONLY": "it must not be written",
    "SQLITE_CANTOPEN": "its file cannot be opened or made",
    "SQLITE_PERM": "its file must not be opened",
    "SQLITE_CORRUPT": "its file is damaged",
    "SQLITE_NOTADB": "its file is not a database",
}
# PostgreSQL's classes: connection, resources, operator intervention; serialization failure and deadlock.
_POSTGRES = ("08", "53", "57", "40")


class DatabaseUnavailable(SciStudioError):
    """The database cannot be used now; the same work may succeed later."""

    kind, code = Kind.UNAVAILABLE, "database.unavailable"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"The database {name} cannot be used: {reason}.",
            subject=f"database/{name}",
            hint="Once that is mended everything goes on by itself.",
        )


class DatabaseClosed(DatabaseUnavailable):
    """The database is not open: not yet, or no longer."""

    code = "database.closed"

    def __init__(self, name: str) -> None:
        super().__init__(name, "it is not open")


class DatabaseTooNew(SciStudioError):
    """The database was written by a later version."""

    kind, code = Kind.CONFLICT, "database.too_new"

    def __init__(self, name: str, revision: str) -> None:
        super().__init__(
            f"The database {name} was written by a later version of SciStudio (revision {revision}).",
            subject=f"database/{name}",
            hint="Install that version or a later one.",
        )


@contextmanager
def faults_of(name: str) -> Iterator[None]:
    """Turn trouble with the database ``name`` into ``DatabaseUnavailable``; mistakes in our SQL stay what they are."""
    try:
        yield
    except DBAPIError as error:
        if reason := _reason(error):
            raise DatabaseUnavailable(name, reason) from error
        raise


def _reason(error: DBAPIError) -> str | None:
    sqlite = getattr(error.orig, "sqlite_errorname", None)
    if sqlite:
        return _SQLITE.get("_".join(sqlite.split("_")[:2]))
    state = getattr(error.orig, "sqlstate", None) or ""
    if error.connection_invalidated or state.startswith(_POSTGRES):
        return str(error.orig).partition("\n")[0] or "the connection is lost"
    return None

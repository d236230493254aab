"""That a service's migrations make what its models say."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from sqlalchemy import MetaData, create_engine

from scistudio_platform.db.migrate import configuration, folder_of, upgrade


def assert_migrations_match(metadata: MetaData, migrations: str | Path) -> None:
    """Fail, naming the difference, when the newest revision is not what ``metadata`` describes; write one with ``db.revise``."""
    folder = folder_of(migrations)
    with create_engine("sqlite://").begin() as connection:
        upgrade(connection, folder, "main")
        command.check(configuration(folder, connection, metadata))

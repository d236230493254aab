from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database
from scistudio_platform.db.errors import DatabaseTooNew
from scistudio_platform.testing.migrations import assert_migrations_match
from sqlalchemy import MetaData, text


def test_the_migrations_make_what_the_models_say(metadata: MetaData, migrations: Path) -> None:
    assert_migrations_match(metadata, migrations)


def test_a_model_without_a_migration_is_noticed(migrations: Path) -> None:
    with pytest.raises(Exception, match="upgrade operations"):
        assert_migrations_match(MetaData(), migrations)


async def test_a_database_of_a_later_version_is_refused(database: Database, place: str | Path, make: Callable[[str], Any]) -> None:
    async with database.transaction() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    with pytest.raises(DatabaseTooNew, match="later version"):
        await make("new_database")(place).start()

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database
from sqlalchemy import insert


@pytest.fixture
async def database(tmp_path: Path, sample: Any) -> Any:
    database: Database = sample.database(tmp_path / "x.db")
    await database.start()
    yield database
    await database.stop()


async def test_a_transaction_makes_no_trip_to_the_thread_but_for_its_statements(
    database: Database, sample: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="aiosqlite")
    await sample.write(database, "first")
    caplog.clear()
    async with database.transaction() as session:
        await session.execute(insert(sample.Note).values(id="a", content={}))
    trips = [record.getMessage() for record in caplog.records if record.getMessage().startswith("executing")]
    assert len(trips) == 3, trips  # BEGIN, INSERT, COMMIT


async def test_what_was_begun_is_rolled_back(database: Database, sample: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as session:
            await session.execute(insert(sample.Note).values(id="a", content={}))
            raise ZeroDivisionError
    async with database.transaction() as session:
        await session.execute(insert(sample.Note).values(id="a", content={}))

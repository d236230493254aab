from __future__ import annotations

import asyncio
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scistudio_platform.clock import utc_now
from scistudio_platform.db import Base, Database, SeenEvents
from scistudio_platform.db.base import read_json, write_json
from scistudio_platform.db.errors import DatabaseClosed, DatabaseUnavailable
from scistudio_platform.db.filesystem import file_system_of, is_network
from scistudio_platform.db.tables import OUTBOX, SEEN_EVENTS
from scistudio_platform.ids import new_id
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:44 / /home rw - nfs4 server:/home rw,vers=4.2
32 31 0:45 / /home/me/scratch\040space rw - xfs /dev/sdb1 rw
33 22 0:46 / /mnt/far rw - fuse.sshfs me@there: rw
""".strip()


async def count(database: Database, table: Any) -> int:
    async with database.reading() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()


async def test_what_is_written_is_read_back_the_same(database: Database, sample: Any) -> None:
    content = {"µ": [1, 2**70, -0.5, None, True], "far": {"not a number": math.nan, "end": math.inf}, "text": "a\0b\\u0000"}
    there = datetime(2026, 7, 1, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    async with database.transaction() as session:
        session.add(sample.Note(id="n", content=content, made_at=there))
    async with database.reading() as session:
        note = await session.get(sample.Note, "n")
    assert note.made_at == there
    assert note.made_at.tzinfo is UTC
    assert note.content == {**content, "far": {"not a number": "NaN", "end": "Infinity"}, "text": "a\ufffdb\\u0000"}


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(json_values)
def test_json_columns_keep_every_value(value: Any) -> None:
    assert read_json(write_json(value)) == value


async def test_a_transaction_that_raises_leaves_nothing_not_even_its_events(database: Database, sample: Any) -> None:
    told = []
    database.on_outbox(lambda _, rows: told.append(rows))
    with pytest.raises(IntegrityError):
        async with database.transaction() as session:
            session.add_all([sample.Note(id="n", content={}), sample.Note(id="n", content={})])
    await sample.write(database, "kept")
    assert (await count(database, sample.Note), await count(database, OUTBOX), len(told)) == (0, 1, 1)


async def test_programs_that_read_and_then_write_wait_for_each_other(database: Database, place: str | Path, sample: Any) -> None:
    other = sample.database(place)
    await other.start()
    await sample.write(database, "a row to lock")
    lock = text("SELECT id FROM outbox" + (" FOR UPDATE" if isinstance(place, str) else ""))

    async def add_one(database: Database) -> None:
        async with database.transaction() as session:
            await session.execute(lock)
            n_notes = (await session.execute(select(func.count()).select_from(sample.Note))).scalar_one()
            session.add(sample.Note(id=str(n_notes), content={}))

    await asyncio.gather(*(add_one(one) for one in [database, other] * 15))
    assert await count(database, sample.Note) == 30
    await other.stop()


async def test_a_cancelled_transaction_leaves_the_database_usable(database: Database, sample: Any) -> None:
    async def never_ending() -> None:
        async with database.transaction() as session:
            session.add(sample.Note(id="n", content={}))
            await session.flush()
            await asyncio.Event().wait()

    task = asyncio.create_task(never_ending())
    await asyncio.sleep(0)
    for _ in range(5):
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await sample.write(database, "a")
        task = asyncio.create_task(never_ending())
        await asyncio.sleep(0.002)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (await count(database, sample.Note), await count(database, OUTBOX)) == (0, 5)


async def test_a_reader_does_not_wait_for_a_writer(database: Database, sample: Any) -> None:
    async with database.transaction() as session:
        session.add(sample.Note(id="n", content={}))
        await session.flush()
        assert await count(database, sample.Note) == 0


async def test_a_full_disk_is_said_in_words_and_forgotten_once_there_is_room(tmp_path: Path, sample: Any) -> None:
    database = sample.database(tmp_path / "x.db")
    await database.start()
    with pytest.raises(DatabaseUnavailable, match="no space left on its disk"):
        async with database.transaction() as session:
            await session.execute(text("PRAGMA max_page_count = 20"))
            session.add(sample.Note(id="n", content={"text": "x" * 100_000}))
    async with database.transaction() as session:
        await session.execute(text("PRAGMA max_page_count = 100000"))
    await sample.write(database, "a")
    await database.stop()


async def test_a_postgresql_that_nobody_serves_is_said_in_words(tmp_path: Path, sample: Any) -> None:
    with pytest.raises(DatabaseUnavailable, match="cannot be used"):
        await sample.database(f"postgresql://me:secret@/db?host={tmp_path}").start()


async def test_a_postgresql_that_ends_connections_is_said_in_words_and_used_again(postgres: str, sample: Any) -> None:
    database = sample.database(postgres)
    await database.start()
    await sample.write(database, "a")
    with pytest.raises(DatabaseUnavailable, match="terminating connection"):
        async with database.transaction() as session:
            await session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    await sample.write(database, "b")
    assert await count(database, OUTBOX) == 2
    await database.stop()


async def test_a_file_that_is_no_database_is_said_in_words(tmp_path: Path, sample: Any) -> None:
    (tmp_path / "x.db").write_bytes(b"no database" * 1000)
    with pytest.raises(DatabaseUnavailable, match="is not a database"):
        await sample.database(tmp_path / "x.db").start()


async def test_a_closed_database_says_so_and_is_not_made_again(tmp_path: Path, sample: Any) -> None:
    database = sample.database(tmp_path / "x.db")
    await database.start()
    await database.stop()
    (tmp_path / "x.db").unlink()
    with pytest.raises(DatabaseClosed):
        await sample.write(database, "a")
    assert not (tmp_path / "x.db").exists()


async def test_an_event_is_seen_for_the_first_time_once(database: Database) -> None:
    event_id = new_id()
    answers = []
    for _ in range(2):
        async with database.transaction() as session:
            answers.append(await SeenEvents(session).first_time(event_id))
    assert answers == [True, False]


async def test_ids_that_cannot_come_again_are_forgotten_and_others_kept(database: Database) -> None:
    async with database.transaction() as session:
        for event_id in ("0190a000-0000-7000-8000-000000000000", new_id()):  # the first is of July 2024
            await SeenEvents(session).first_time(event_id)
        await SeenEvents(session).forget_old()
    assert await count(database, SEEN_EVENTS) == 1


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/srv/x", "ext4", False),
        ("/home/me", "nfs4", True),
        ("/home/me/scratch space/x", "xfs", False),
        ("/homeless", "ext4", False),
        ("/mnt/far/x", "fuse.sshfs", True),
    ],
)
def test_network_file_systems_are_known(tmp_path: Path, path: str, kind: str, network: bool) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert file_system_of(Path(path), mounts) == kind
    assert is_network(kind) is network


async def test_on_a_network_file_system_sqlite_uses_no_shared_memory(tmp_path: Path, sample: Any) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 8:1 / {tmp_path.resolve()} rw - nfs4 server:/x rw")
    database = sample.database(tmp_path / "x.db", mounts=mounts)
    await database.start()
    await asyncio.gather(*(sample.write(database, "a") for _ in range(10)))
    async with database.reading() as session:
        assert (await session.execute(text("PRAGMA journal_mode"))).scalar() == "delete"
    assert not list(tmp_path.glob("*-shm"))
    await database.stop()


def test_tables_on_the_shared_base_are_refused() -> None:
    with pytest.raises(TypeError, match="of its own service"):

        class Row(Base):
            __tablename__ = "rows"
            id: Mapped[str] = mapped_column(primary_key=True)


def test_naive_times_are_refused() -> None:
    from scistudio_platform.db.base import UtcDateTime

    with pytest.raises(ValueError, match="no time zone"):
        UtcDateTime().process_bind_param(utc_now().replace(tzinfo=None), None)  # type: ignore[arg-type]

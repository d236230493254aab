from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database, ProjectDatabases
from scistudio_platform.db.errors import DatabaseClosed
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.testing import make_settings


@pytest.fixture
async def projects(place: str | Path, sample: Any) -> AsyncIterator[ProjectDatabases]:
    settings = make_settings(ServiceSettings, database_url=place if isinstance(place, str) else None)
    projects = ProjectDatabases(settings, service="sample", migrations=sample.migrations)
    await projects.start()
    yield projects
    await projects.stop()


async def test_a_project_is_opened_once_however_many_ask(projects: ProjectDatabases, tmp_path: Path, sample: Any) -> None:
    first, *others = await asyncio.gather(*(projects.get("p1", tmp_path / "p1") for _ in range(5)))
    assert all(other is first for other in others)
    assert list(projects.opened()) == [first]
    await sample.write(first, "a")


async def test_a_closed_project_can_be_opened_again(projects: ProjectDatabases, tmp_path: Path, sample: Any) -> None:
    await sample.write(await projects.get("p1", tmp_path), "a")
    await projects.close("p1")
    await sample.write(await projects.get("p1", tmp_path), "b")


async def test_a_project_that_was_moved_is_opened_where_it_lies_now(tmp_path: Path, sample: Any) -> None:
    projects = ProjectDatabases(make_settings(ServiceSettings), service="sample", migrations=sample.migrations)
    before = await projects.get("p1", tmp_path / "before")
    after = await projects.get("p1", tmp_path / "after")
    assert after.path == tmp_path / "after" / ".scistudio" / "sample.db"
    assert projects.opened() == [after]
    with pytest.raises(DatabaseClosed):
        await sample.write(before, "a")
    await projects.stop()


async def test_the_file_lies_in_the_project(tmp_path: Path, sample: Any) -> None:
    opened: list[tuple[str, Database]] = []

    async def on_open(project_id: str, database: Database) -> None:
        opened.append((project_id, database))

    projects = ProjectDatabases(make_settings(ServiceSettings), service="sample", migrations=sample.migrations, on_open=on_open)
    await projects.start()
    database = await projects.get("p1", tmp_path)
    assert (tmp_path / ".scistudio" / "sample.db").exists()
    assert opened == [("p1", database)]
    await projects.stop()
    assert projects.opened() == []

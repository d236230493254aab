from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog
from scistudio_platform.testing import make_settings
from scistudio_scheduler.settings import SchedulerSettings

from .world import World


@pytest.fixture(scope="session", autouse=True)
def _plain_tracebacks() -> None:
    """structlog's own default draws a box around every variable, which takes seconds."""
    structlog.configure(processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer(["event"])])


@pytest.fixture(params=["sqlite"])
def settings(request: pytest.FixtureRequest) -> SchedulerSettings:
    """Settings on SQLite; tests of what SQL does are parametrised with PostgreSQL too."""
    url = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return make_settings(SchedulerSettings, database_url=url, worker_lost_pause_s=0.01, gone_after_s=0.3)


@pytest.fixture
async def world(settings: SchedulerSettings, tmp_path: Path) -> AsyncIterator[World]:
    async with World.of(settings, tmp_path / "project") as world:
        yield world

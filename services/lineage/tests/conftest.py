from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from scistudio_lineage.settings import LineageSettings
from scistudio_platform.testing import make_settings

from .history import PROJECT, Parts, parts


@pytest.fixture(params=["sqlite", "postgres"])
async def lineage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Parts]:
    url = request.getfixturevalue("postgres") if request.param == "postgres" else None
    async with parts(make_settings(LineageSettings, database_url=url), **{PROJECT: tmp_path}) as made:
        yield made

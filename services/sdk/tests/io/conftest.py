from __future__ import annotations

from collections.abc import Iterator

import pytest
from scistudio.core.storage import flush_context


@pytest.fixture(autouse=True)
def no_output_dir() -> Iterator[None]:
    """Objects stay in memory unless a test says otherwise."""
    flush_context.clear()
    yield
    flush_context.clear()

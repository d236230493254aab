from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scistudio.core.storage import flush_context
from scistudio.core.types import serialization
from scistudio.core.types.registry import TypeRegistry


@pytest.fixture
def output_dir(tmp_path: Path) -> Iterator[Path]:
    """A flush directory, as a worker sets one."""
    flush_context.set_output_dir(tmp_path / "out")
    yield tmp_path / "out"
    flush_context.clear()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> TypeRegistry:
    """A registry of this test, used by the serialiser too."""
    fresh = TypeRegistry()
    fresh.scan_builtins()
    monkeypatch.setattr(serialization, "_registry_instance", fresh)
    return fresh

"""What tests of services share. Never imported by a service."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr

from scistudio_platform.settings import ServiceSettings

SettingsT = TypeVar("SettingsT", bound=ServiceSettings)
ValueT = TypeVar("ValueT")
TOKEN = SecretStr("token-of-the-tests")


async def eventually(condition: Callable[[], ValueT | Awaitable[ValueT]], *, timeout_s: float = 10.0, pause_s: float = 0.02) -> ValueT:
    """Wait until ``condition`` gives something true and return it; fail when the time is over."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        result: Any = await value if inspect.isawaitable(value) else value
        if result:
            return result  # type: ignore[no-any-return]
        assert time.monotonic() < deadline, f"still {result!r} after {timeout_s} s"
        await asyncio.sleep(pause_s)


def short_dir() -> Path:
    """Make a private folder with a short path, since Unix sockets have about 100 characters; it goes when the tests end."""
    folder = Path(tempfile.mkdtemp(prefix="sci-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def make_settings(cls: type[SettingsT], **changes: Any) -> SettingsT:
    """Return settings for a test: its own run and state directory, the tests' token, no HTTP side."""
    base = short_dir()
    (base / "state").mkdir()
    defaults: dict[str, Any] = {
        "run_dir": base,
        "state_dir": base / "state",
        "token": TOKEN,
        "nats_url": "nats://127.0.0.1:1",
        "http": None,
    }
    return cls(**{**defaults, **changes})

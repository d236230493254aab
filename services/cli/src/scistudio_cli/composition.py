"""Which services there are, and how each is made for a composition on this machine. A composition root: settings are read here."""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scistudio_platform.service import Service, run_service
from scistudio_platform.settings import ServiceSettings

# In the order in which they are started; stopped in reverse.
SERVICES = ("workflow", "runner", "scheduler", "lineage", "panels", "mcp", "gateway")
HEADLESS = ("workflow", "runner", "scheduler", "lineage")
SETTINGS = {name: f"{name.capitalize()}Settings" for name in (*SERVICES, "worker")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where one composition lives, and its secrets."""

    run_dir: Path
    state_dir: Path
    nats_url: str
    nats_token: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def common(self) -> dict[str, Any]:
        """Settings that all services share."""
        return {
            "run_dir": self.run_dir,
            "state_dir": self.state_dir,
            "token": self.token,
            "nats_url": self.nats_url,
            "nats_token": self.nats_token,
        }


def load(name: str) -> tuple[Callable[..., Service], type[ServiceSettings]]:
    """Import a service and return its ``build`` and its settings' class."""
    package = f"scistudio_{name}"
    settings = getattr(importlib.import_module(f"{package}.settings"), SETTINGS[name])
    return importlib.import_module(f"{package}.service").build, settings


def make_service(name: str, place: Place, changes: Mapping[str, Any], **parts: Any) -> Service:
    """Build a service for this process."""
    build, settings = load(name)
    return build(settings(**{**place.common(), **changes}), **parts)


def service_main(name: str, place: Place, changes: Mapping[str, Any], *, lifeline: int, **parts: Any) -> int:
    """Run a service as a forked child's main and return its exit code."""
    build, settings = load(name)
    return run_service(name, lambda made: build(made, **parts), settings(**{**place.common(), **changes}), lifeline=lifeline)

"""What every service can be configured with. Read once, in a composition root, and passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


def _common(default: Any, name: str, description: str) -> Any:
    """A setting with one name for all services."""
    return Field(default, validation_alias=f"SCISTUDIO_{name}", description=description)


class ServiceSettings(BaseSettings):
    """Common settings. A service's own subclass adds what only it has, with its own prefix."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    run_dir: Path = _common(..., "RUN_DIR", "Private folder (0700) of the sockets of one composition.")
    state_dir: Path = _common(..., "STATE_DIR", "The user's state folder, for what belongs to no project.")
    token: SecretStr = _common(..., "TOKEN", "Shared secret of the services. No default: a service without one does not start.")
    nats_url: str = _common(..., "NATS_URL", "Address of nats-server.")
    nats_token: SecretStr | None = _common(None, "NATS_TOKEN", "Token that nats-server asks for.")
    database_url: str | None = _common(None, "DATABASE_URL", "PostgreSQL for all projects. None: SQLite, a file a project.")
    targets: dict[str, str] = _common({}, "TARGETS", "Addresses of services that are not in the run directory, by name, as JSON.")
    log_level: str = _common("info", "LOG_LEVEL", "Least level that is logged: debug, info, warning, error.")
    log_format: Literal["json", "console"] = _common("json", "LOG_FORMAT", "JSON lines, or text for people.")
    otlp_endpoint: str | None = _common(None, "OTLP_ENDPOINT", "Where traces go (OTLP over gRPC). None: no tracing.")

    listen: str = Field(
        "", description="Address of the gRPC server: unix:NAME (relative: in the run directory) or HOST:PORT. Empty: unix:<service>.sock."
    )
    http: str | None = Field(
        "", description="Address of health and metrics over HTTP, as `listen`. Empty: unix:<service>.http.sock; None: not served."
    )

    def target(self, service: str) -> str:
        """Return the gRPC address of another service."""
        return absolute_address(self.targets.get(service, f"unix:{service}.sock"), self.run_dir)

    def listen_address(self, service: str) -> str:
        """Return where this service's gRPC server listens."""
        return absolute_address(self.listen or f"unix:{service}.sock", self.run_dir)

    def http_address(self, service: str) -> str | None:
        """Return where this service's HTTP side listens, or None."""
        return None if self.http is None else absolute_address(self.http or f"unix:{service}.http.sock", self.run_dir)


def absolute_address(address: str, run_dir: Path) -> str:
    """Return ``address`` with a relative Unix socket placed in the run directory."""
    scheme, _, path = address.partition(":")
    return f"unix:{run_dir / path}" if scheme == "unix" else address

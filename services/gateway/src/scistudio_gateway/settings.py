"""What the gateway can be configured with."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, PositiveFloat, PositiveInt, SecretStr
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings, absolute_address


class GatewaySettings(ServiceSettings):
    """Read once in ``__main__`` or the launcher and passed down; nothing else looks at the environment."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_GATEWAY_", frozen=True, extra="forbid", populate_by_name=True)

    session_token: SecretStr = Field(
        description="What people and programs show to come in. No default: a door without a lock does not open."
    )
    instance: str = Field(
        "local",
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="Tells apart the cookies of several gateways on one machine: cookies know no ports.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on. Beyond loopback only when asked, and then name `allowed_hosts`.")
    port: int = Field(7100, ge=0, le=65535, description="TCP port; 0 picks one. Unused where a listening socket is handed in.")
    allowed_hosts: list[str] = Field([], description="Names beside the loopback ones under which browsers may come, without port, as JSON.")
    allowed_origins: list[str] = Field(
        [], description="Origins of pages served elsewhere that may use this gateway, such as http://localhost:5173, as JSON."
    )
    page_dir: Path | None = Field(None, description="Folder of the built page. None: the one inside the package.")
    mcp_http: str = Field("unix:mcp.http.sock", description="Address of the mcp service's HTTP side: unix:NAME or HOST:PORT.")
    max_body_bytes: PositiveInt = Field(8 << 20, description="Longest request body that is read.")
    heartbeat_s: PositiveFloat = Field(15.0, description="Longest silence on event and log streams, in seconds.")
    slow_client_s: PositiveFloat = Field(
        20.0, description="How long a client may leave a frame unread before its connection is dropped, in seconds."
    )
    health_timeout_s: PositiveFloat = Field(1.0, description="How long a service may take to say that it serves, in seconds.")

    @property
    def mcp_address(self) -> str:
        """Where the mcp service's HTTP side listens."""
        return absolute_address(self.mcp_http, self.run_dir)

    @property
    def page_folder(self) -> Path:
        """The folder of the built page."""
        return self.page_dir or Path(__file__).parent / "page"

    @property
    def public_address(self) -> str:
        """Where to listen when no socket is handed in."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

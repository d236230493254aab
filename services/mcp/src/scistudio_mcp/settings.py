"""What the mcp service can be configured with."""

from __future__ import annotations

from pydantic import Field, PositiveFloat
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class McpSettings(ServiceSettings):
    """Read once in ``__main__`` or by the launcher."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_MCP_", frozen=True, extra="forbid", populate_by_name=True)

    call_timeout_s: PositiveFloat = Field(30.0, description="How long another service may take to answer a tool's question, in seconds.")

"""What the panels service can be configured with."""

from __future__ import annotations

from pydantic import Field, PositiveFloat
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class PanelsSettings(ServiceSettings):
    """Read once in ``__main__`` or by the launcher."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_PANELS_", frozen=True, extra="forbid", populate_by_name=True)

    call_timeout_s: PositiveFloat = Field(10.0, description="How long another service may take to answer, in seconds.")

"""What the lineage service can be configured with."""

from __future__ import annotations

from pydantic import Field, PositiveInt
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class LineageSettings(ServiceSettings):
    """Read once in ``__main__`` and passed down; nothing else looks at the environment."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_LINEAGE_")

    trace_limit: PositiveInt = Field(10_000, description="How many objects a trace holds at most, the nearest first.")

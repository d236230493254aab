"""What can be configured about the runner."""

from __future__ import annotations

from typing import Self

from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class RunnerSettings(ServiceSettings):
    """Settings of the runner; read once, in ``__main__`` or the launcher."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_RUNNER_")

    heartbeat_s: PositiveFloat = Field(2.0, description="How often a worker host gives a sign of life when it has nothing else to say.")
    host_timeout_s: PositiveFloat = Field(10.0, description="How long a worker host may be silent or away before what it runs is lost.")
    adoption_s: NonNegativeFloat = Field(
        5.0, description="How long after its start the runner waits for hosts that may still have an execution that is older than itself."
    )
    probe_timeout_s: PositiveFloat = Field(90.0, description="How long a probe may wait for a worker host and its answer.")

    @model_validator(mode="after")
    def _heard_in_time(self) -> Self:
        if self.heartbeat_s * 2 > self.host_timeout_s:
            raise ValueError(f"host_timeout_s ({self.host_timeout_s:g}) must be at least twice heartbeat_s ({self.heartbeat_s:g})")
        return self

"""What can be configured about the runner."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat
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

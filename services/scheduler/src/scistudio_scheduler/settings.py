"""What the scheduler can be configured with."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class SchedulerSettings(ServiceSettings):
    """Read once in ``__main__`` and passed down; nothing else looks at the environment."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_SCHEDULER_")

    max_dispatches: PositiveInt = Field(256, description="How many blocks of all runs may be in the runner's hands at once.")
    plan_timeout_s: PositiveFloat = Field(
        60.0, description="How long the workflow service may take to make a run's plan, a probe included."
    )
    runner_lost_after_s: PositiveFloat = Field(
        120.0, description="How long the runner may be out of reach before the runs that wait for it are failed."
    )
    worker_attempts: PositiveInt = Field(3, description="How often a block is started when its worker is lost through no fault of its own.")
    worker_lost_pause_s: NonNegativeFloat = Field(
        0.5, description="Pause before another attempt after a lost worker; it doubles each time."
    )
    gone_after_s: PositiveFloat = Field(
        3.0, description="A cancelled execution that the runner does not know for so long is gone: its hosts would have come back by then."
    )
    stop_timeout_s: PositiveFloat = Field(10.0, description="What the runner may need to end a process tree, beyond the block's own grace.")

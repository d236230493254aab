"""What the workflow service can be configured with."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, PositiveFloat
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


class WorkflowSettings(ServiceSettings):
    """Read once in ``__main__`` or by the launcher."""

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_WORKFLOW_", frozen=True, extra="forbid", populate_by_name=True)

    url: str = Field("", description="Where people reach this SciStudio; told to another one that finds a project open here.")
    library_dir: Path = Field(
        default_factory=lambda: Path.home() / ".scistudio", description="The user's library: blocks and types that all projects share."
    )
    probe_timeout_s: PositiveFloat = Field(80.0, description="How long a worker may take to read the blocks and types, in seconds.")
    git_timeout_s: PositiveFloat = Field(2.0, description="How long git may take to tell commit and changes, in seconds.")

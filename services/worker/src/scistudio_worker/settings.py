"""What can be configured about a worker host."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, PositiveInt, SecretStr
from pydantic_settings import SettingsConfigDict
from scistudio_platform.settings import ServiceSettings


def _default_slots() -> int:
    return max(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


class WorkerSettings(ServiceSettings):
    """Settings of a worker host; the runner's address is a target like any other.

    A host beside its runner shows the services' token. One elsewhere has none and is admitted by its enrolment token.
    """

    model_config = SettingsConfigDict(env_prefix="SCISTUDIO_WORKER_")

    run_dir: Path = Field(Path(), validation_alias="SCISTUDIO_RUN_DIR", description="Folder of the runner's socket, where it has one.")
    state_dir: Path = Field(Path(), validation_alias="SCISTUDIO_STATE_DIR", description="Not used: a worker host keeps nothing on disk.")
    nats_url: str = Field("", validation_alias="SCISTUDIO_NATS_URL", description="Not used: a worker host speaks to its runner alone.")
    token: SecretStr = Field(
        SecretStr(""), validation_alias="SCISTUDIO_TOKEN", description="The services' token, for a host beside its runner."
    )
    enrolment_token: SecretStr = Field(
        SecretStr(""), description="One-time token for the first connect, where there is no services' token."
    )
    slots: PositiveInt = Field(default_factory=_default_slots, description="Executions at a time. Default: the CPUs, at least 2.")
    labels: dict[str, str] = Field({}, description="What this host has (`gpu`, `image` …), as JSON.")
    python: str = Field("", description="Interpreter of the worker environment. Empty: this one.")
    pass_environment: frozenset[str] = Field(
        frozenset(), description="Environment variables that blocks may see beside the usual ones, as JSON."
    )
    output_limit_bytes: PositiveInt = Field(10_000_000, description="What a block may print before only its last lines are kept.")
    process_groups: bool = Field(True, description="Use the kernel's control groups where there are any.")

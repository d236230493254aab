"""What the tools answer. The field names are the contract's: agents' habits are written against them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class ProjectItem(BaseModel):
    """A project."""

    id: str
    name: str
    path: str
    description: str
    is_open: bool


class Projects(BaseModel):
    """Known projects."""

    projects: list[ProjectItem]
    count: int
    next_step: str


class BlockItem(BaseModel):
    """A block in the lean catalog."""

    type_name: str
    name: str
    base_category: str
    subcategory: str
    package_name: str
    description: str
    signature: str = Field(description="Ports: name: types -> name: types; ? marks an optional input.")
    use_instead: str | None = None


class Blocks(BaseModel):
    """The catalog, and what could not be read."""

    blocks: list[BlockItem]
    count: int
    failures: list[dict[str, str]]
    next_step: str
    io_block_guidance: str


class BlockSchema(BaseModel):
    """Ports and configuration of one block type."""

    type_name: str
    ports: dict[str, Any]
    config_schema: dict[str, Any]
    metadata: dict[str, Any]


class WorkflowItem(BaseModel):
    """A workflow file of the project."""

    id: str
    path: str
    description: str
    n_nodes: int
    problem: str


class Workflows(BaseModel):
    """The project's workflow files."""

    workflows: list[WorkflowItem]
    count: int


class DecodedWorkflow(BaseModel):
    """A workflow file, decoded."""

    path: str
    name: str
    nodes: list[dict[str, Any]]
    edges: list[dict[str, str]]


class Problem(BaseModel):
    """One problem of a workflow."""

    severity: Literal["error", "warning"]
    code: str
    message: str
    node: str
    port: str
    hint: str
    line: int


class Validation(BaseModel):
    """Whether a workflow can run, and why not."""

    valid: bool
    errors: list[Problem]
    warnings: list[Problem]
    next_step: str


class StartedRun(BaseModel):
    """A run that was submitted."""

    run_id: str
    status: Literal["queued"] = "queued"
    next_step: str
    poll_hint: str


class CancelledRun(BaseModel):
    """A run that was asked to stop."""

    run_id: str
    cancel_requested: bool
    next_step: str


class RunProgress(BaseModel):
    """States of the blocks, by node id, in upper case."""

    block_states: dict[str, str]


class BlockFailure(BaseModel):
    """Why a block failed."""

    block_id: str
    error: str = Field(description="The traceback, or the message where there is none.")
    summary: str
    hint: str
    code: str


class RunStatus(BaseModel):
    """State of a run."""

    run_id: str
    state: Literal["queued", "running", "paused", "succeeded", "failed", "cancelled", "unknown"]
    progress: RunProgress
    errors: list[BlockFailure]
    next_step: str


class Reference(BaseModel):
    """Where one object is stored, and its header: what preview_data takes."""

    backend: str | None
    path: str | None
    format: str | None
    metadata: dict[str, Any]


class OutputType(BaseModel):
    """The type of an output."""

    type_chain: list[str]
    type_name: str


class BlockOutput(BaseModel):
    """What an output port holds."""

    ref: Reference = Field(description="The first item.")
    refs: list[Reference] = Field(description="All items, at most 100.")
    n_items: int
    type: OutputType
    produced_at: str | None


class Preview(BaseModel):
    """A bounded look at data."""

    fmt: Literal["table", "png_base64", "chart", "text", "artifact", "array"]
    payload: dict[str, Any]
    truncated: bool


class BlockLogs(BaseModel):
    """What a block printed, at most 16 KiB a stream."""

    stdout: str
    stderr: str
    truncated: bool
    started_at: str | None
    finished_at: str | None
    source: Literal["run_log"] = "run_log"

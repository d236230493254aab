"""Blocks and types that a project's workflows may use."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_gateway.adapters.backends import PROBE_TIMEOUT_S
from scistudio_gateway.domain.exact_json import read_json
from scistudio_gateway.rest.representations import (
    NOT_MODIFIED,
    Json,
    ProjectPath,
    Representation,
    Segment,
    Services,
    is_current,
    not_modified,
)

router = APIRouter(tags=["catalog"])


class BlockNotFound(SciStudioError):
    """The project's workflows may use no such block."""

    kind, code = Kind.NOT_FOUND, "block.not_found"

    def __init__(self, type_name: str) -> None:
        super().__init__(f"There is no block type {type_name!r}.", subject=f"block/{type_name}", hint="The catalog lists those there are.")


class Port(Representation):
    """A typed end of a block."""

    name: str
    accepted_types: list[str] = Field(description="Type names; empty: anything.")
    required: bool
    is_collection: bool
    description: str


class Resources(Representation):
    """What a block asks for. None of the limits is set when 0."""

    cpu_cores: int
    requires_gpu: bool
    memory_gb: float
    cpu_time_s: float
    wall_time_s: float


class BlockSpec(Representation):
    """A block that workflows may use."""

    type_name: str
    name: str
    description: str
    version: str
    base_category: str = Field(description="io, process, code, app, ai, subworkflow, unknown.")
    subcategory: str
    execution_mode: str = Field(description="auto, interactive, external.")
    input_ports: list[Port]
    output_ports: list[Port]
    config_schema: dict[str, Json] = Field(description="JSON Schema of the configuration.")
    module: str
    class_name: str
    file_path: str
    import_roots: list[str]
    source: str = Field(description="builtin, entry_point, package_src, user, project.")
    package_name: str
    ui_color: str
    ui_icon: str
    variadic_inputs: bool
    variadic_outputs: bool
    dynamic_ports: dict[str, Json] | None
    terminate_grace_s: float
    start_method: str
    resources: Resources
    direction: str = Field(description="input: a loader, output: a saver, empty: neither.")
    format_capabilities: list[Json]
    allowed_types: dict[str, Json]


class TypeSpec(Representation):
    """A type that ports may carry."""

    name: str
    base_type: str
    description: str
    origin: str
    file_path: str
    package_name: str
    ui_color: str
    ui_ring_color: str
    type_chain: list[str] = Field(description="Most general first.")


class LoadFailure(Representation):
    """A file whose blocks or types could not be read."""

    file_path: str
    error_type: str
    message: str


class Catalog(Representation):
    """All that a project's workflows may use, and what could not be read."""

    blocks: list[BlockSpec]
    types: list[TypeSpec]
    failures: list[LoadFailure]


def _port(message: pb.Port) -> Port:
    return Port(
        name=message.name,
        accepted_types=list(message.accepted_types),
        required=message.required,
        is_collection=message.is_collection,
        description=message.description,
    )


def _resources(message: pb.Resources) -> Resources:
    return Resources(
        cpu_cores=message.cpu_cores,
        requires_gpu=message.requires_gpu,
        memory_gb=message.memory_gb,
        cpu_time_s=message.cpu_time_s,
        wall_time_s=message.wall_time_s,
    )


PLAIN_FIELDS = (
    *("type_name", "name", "description", "version", "base_category", "subcategory", "execution_mode", "module", "class_name", "file_path"),
    *(
        "source",
        "package_name",
        "ui_color",
        "ui_icon",
        "variadic_inputs",
        "variadic_outputs",
        "terminate_grace_s",
        "start_method",
        "direction",
    ),
)


def _block(message: pb.BlockSpec) -> BlockSpec:
    return BlockSpec(
        **{name: getattr(message, name) for name in PLAIN_FIELDS},
        input_ports=[_port(port) for port in message.input_ports],
        output_ports=[_port(port) for port in message.output_ports],
        import_roots=list(message.import_roots),
        resources=_resources(message.resources),
        config_schema=read_json(message.config_schema_json, {}) or {},
        dynamic_ports=read_json(message.dynamic_ports_json) or None,
        format_capabilities=read_json(message.format_capabilities_json, []) or [],
        allowed_types=read_json(message.allowed_types_json, {}) or {},
    )


def _type(message: pb.TypeSpec) -> TypeSpec:
    names = ("name", "base_type", "description", "origin", "file_path", "package_name", "ui_color", "ui_ring_color")
    return TypeSpec(**{name: getattr(message, name) for name in names}, type_chain=list(message.type_chain))


def _failure(message: pb.LoadFailure) -> LoadFailure:
    return LoadFailure(file_path=message.file_path, error_type=message.error_type, message=message.message)


@router.get("/projects/{project}/catalog", response_model=Catalog, responses=NOT_MODIFIED)
async def get_catalog(
    project: ProjectPath,
    request: Request,
    response: Response,
    services: Services,
    rescan: Annotated[bool, Query(description="Scan again even if nothing seems to have changed.")] = False,
) -> Catalog | Response:
    """All blocks and types. Answers 304 to the `ETag` of the same catalog."""
    found = await services.workflow.stub.GetCatalog(pb.GetCatalogRequest(project_id=project, rescan=rescan), timeout=PROBE_TIMEOUT_S)
    if is_current(request, response, found.etag):
        return not_modified(response)
    return Catalog(
        blocks=[_block(block) for block in found.blocks],
        types=[_type(one) for one in found.types],
        failures=[_failure(failure) for failure in found.failures],
    )


@router.get("/projects/{project}/blocks/{type_name}")
async def get_block(
    project: ProjectPath, type_name: Annotated[Segment, Path(description="Type name of a block.")], services: Services
) -> BlockSpec:
    """One block."""
    found = await services.workflow.stub.GetCatalog(pb.GetCatalogRequest(project_id=project), timeout=PROBE_TIMEOUT_S)
    for block in found.blocks:
        if block.type_name == type_name:
            return _block(block)
    raise BlockNotFound(type_name)

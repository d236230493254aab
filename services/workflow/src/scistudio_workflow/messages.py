"""Our objects as messages of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import to_json
from scistudio_platform.clock import to_timestamp
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_workflow.adapters.catalog_store import Snapshot
from scistudio_workflow.adapters.known_projects import KnownProject
from scistudio_workflow.app.plans import Plan, PlannedNode
from scistudio_workflow.app.workflow_folder import Summary, WorkflowFile
from scistudio_workflow.domain.catalog import BlockSpec, LoadFailure, Port, TypeSpec
from scistudio_workflow.domain.model import Edge, ExposedPort, Node, Problem, Severity

SEVERITIES = {Severity.ERROR: pb.SEVERITY_ERROR, Severity.WARNING: pb.SEVERITY_WARNING}


def project(known: KnownProject, *, is_open: bool) -> pb.Project:
    """Return a project."""
    return pb.Project(
        id=known.id,
        name=known.name,
        path=known.path,
        description=known.description,
        opened_at=to_timestamp(known.opened_at),
        is_open=is_open,
    )


def summary(found: Summary) -> pb.WorkflowSummary:
    """Return a line of the list of workflows."""
    return pb.WorkflowSummary(id=found.id, path=found.path, description=found.description, n_nodes=found.n_nodes, problem=found.problem)


def workflow(file: WorkflowFile) -> pb.Workflow:
    """Return a workflow file as it is written: subworkflows are not put in place."""
    found = file.workflow
    return pb.Workflow(
        id=file.id,
        path=file.path,
        version=found.version,
        description=found.description,
        nodes=map(node, found.nodes),
        edges=map(edge, found.edges),
        metadata_json=_json(found.metadata),
        exposed_inputs=map(_exposed, found.exposed_inputs),
        exposed_outputs=map(_exposed, found.exposed_outputs),
        etag=file.etag,
        text=file.text,
    )


def node(found: Node) -> pb.Node:
    """Return a node with the configuration that its file gives it."""
    return pb.Node(
        id=found.id,
        block_type=found.block_type,
        config_json=_json(found.config),
        execution_mode=found.execution_mode,
        layout=found.layout or {},
    )


def edge(found: Edge) -> pb.Edge:
    """Return an edge."""
    return pb.Edge(
        source_node=found.source_node, source_port=found.source_port, target_node=found.target_node, target_port=found.target_port
    )


def _exposed(found: ExposedPort) -> pb.ExposedPort:
    return pb.ExposedPort(name=found.name, node=found.node, port=found.port)


def problem(found: Problem) -> pb.Problem:
    """Return a problem."""
    return pb.Problem(
        severity=SEVERITIES[found.severity],
        code=found.code,
        message=found.message,
        node=found.node,
        port=found.port,
        hint=found.hint,
        line=found.line,
    )


def validation(problems: Iterable[Problem]) -> pb.ValidateWorkflowResponse:
    """Return the answer of a validation."""
    found = list(problems)
    valid = not any(each.severity is Severity.ERROR for each in found)
    return pb.ValidateWorkflowResponse(valid=valid, problems=map(problem, found))


def port(found: Port) -> pb.Port:
    """Return a port."""
    return pb.Port(
        name=found.name,
        accepted_types=found.accepted_types,
        required=found.required,
        is_collection=found.is_collection,
        description=found.description,
    )


def block(spec: BlockSpec) -> pb.BlockSpec:
    """Return a block's spec."""
    return pb.BlockSpec(
        **_texts(spec, _BLOCK_TEXTS),
        input_ports=map(port, spec.input_ports),
        output_ports=map(port, spec.output_ports),
        config_schema_json=_json(spec.config_schema),
        import_roots=spec.import_roots,
        variadic_inputs=spec.variadic_inputs,
        variadic_outputs=spec.variadic_outputs,
        dynamic_ports_json=_json(spec.dynamic_ports) if spec.dynamic_ports else "",
        terminate_grace_s=spec.terminate_grace_s,
        resources=pb.Resources(**spec.resources.model_dump()),
        format_capabilities_json=_json(spec.format_capabilities),
        allowed_types_json=_json(spec.allowed_types),
    )


_BLOCK_TEXTS = [
    "type_name",
    "name",
    "description",
    "version",
    "base_category",
    "subcategory",
    "execution_mode",
    "module",
    "class_name",
    "file_path",
    "source",
    "package_name",
    "ui_color",
    "ui_icon",
    "start_method",
    "direction",
]
_TYPE_TEXTS = ["name", "base_type", "description", "origin", "file_path", "package_name", "ui_color", "ui_ring_color"]


def data_type(spec: TypeSpec) -> pb.TypeSpec:
    """Return a data type's spec."""
    return pb.TypeSpec(**_texts(spec, _TYPE_TEXTS), type_chain=spec.type_chain)


def _texts(spec: BlockSpec | TypeSpec, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in names}


def _failure(found: LoadFailure) -> pb.LoadFailure:
    return pb.LoadFailure(file_path=found.file_path, error_type=found.error_type, message=found.message)


def catalog(snapshot: Snapshot) -> pb.GetCatalogResponse:
    """Return a catalog."""
    found = snapshot.catalog
    return pb.GetCatalogResponse(
        blocks=map(block, found.blocks), types=map(data_type, found.types), failures=map(_failure, found.failures), etag=snapshot.etag
    )


def plan(made: Plan) -> pb.GetRunPlanResponse:
    """Return the plan of a run."""
    return pb.GetRunPlanResponse(
        workflow_id=made.workflow_id,
        path=made.path,
        nodes=map(_planned, made.nodes),
        edges=map(edge, made.edges),
        text=made.text,
        commit=made.git.commit,
        dirty=made.git.dirty,
        project=project(made.project, is_open=True),
        continue_on_failure=made.continue_on_failure,
        warnings=map(problem, made.warnings),
    )


def _planned(found: PlannedNode) -> pb.PlannedNode:
    return pb.PlannedNode(
        node=node(found.bound.node),
        resolved_config_json=_json(found.config),
        block=block(found.bound.spec),
        input_ports=map(port, found.bound.inputs),
        output_ports=map(port, found.bound.outputs),
    )


def _json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    """JSON text; an infinite or missing number, which JSON does not have, is told as text."""
    return to_json(value, inf_nan_mode="strings").decode()

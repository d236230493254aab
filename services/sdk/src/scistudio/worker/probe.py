"""What blocks and types there are, as plain data: made in a worker, since finding them executes their code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scistudio.blocks import dropins
from scistudio.blocks.base.ports import Port
from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.registry.default import registry_of
from scistudio.blocks.registry.spec import BlockSpec, Scope
from scistudio.core.types.registry import TypeRegistry, TypeSpec
from scistudio.core.types.signature import chain_of
from scistudio.engine.resources import ResourceRequest
from scistudio.worker import lazy_types, surroundings


def catalog(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``catalog`` message for the project of ``request``: built-in, packaged, the user's and its own."""
    surroundings.enter(request)
    project = Path(request["project_dir"]) if request.get("project_dir") else None
    types = lazy_types.install(project)
    specs = types.all_types()
    registry = registry_of(project)
    failures = [*registry.package_failures(), *registry.dropin_failures()]
    return {
        "type": "catalog",
        "blocks": [describe_block(spec) for spec in registry.specs_by_type().values()],
        "types": [describe_type(types, spec) for spec in specs.values()],
        "failures": [{"file_path": item.file_path, "error_type": item.error_type, "message": item.message} for item in failures]
        + [{"file_path": "", "error_type": "TypeRegistration", "message": text} for text in types.diagnostics],
        "diagnostics": list(registry.diagnostics),
    }


def describe_block(spec: BlockSpec) -> dict[str, Any]:
    """Return a spec with the field names of the services' ``BlockSpec``."""
    return {
        "type_name": spec.type_name,
        "name": spec.name,
        "description": spec.description,
        "version": spec.version,
        "base_category": spec.base_category,
        "subcategory": spec.subcategory,
        "execution_mode": spec.execution_mode,
        "input_ports": [_port(port) for port in spec.input_ports],
        "output_ports": [_port(port) for port in spec.output_ports],
        "config_schema": spec.config_schema,
        "module": spec.module_path,
        "class_name": spec.class_name,
        "file_path": spec.file_path or "",
        "import_roots": spec.runtime_import_roots,
        "source": spec.scope.name.lower() if spec.scope in (Scope.USER, Scope.PROJECT) else spec.source,
        "package_name": spec.package_name,
        "ui_color": spec.ui_color or "",
        "ui_icon": spec.ui_icon or "",
        "variadic_inputs": spec.variadic_inputs,
        "variadic_outputs": spec.variadic_outputs,
        "min_input_ports": spec.min_input_ports,
        "max_input_ports": spec.max_input_ports,
        "min_output_ports": spec.min_output_ports,
        "max_output_ports": spec.max_output_ports,
        "dynamic_ports": spec.dynamic_ports,
        "terminate_grace_s": spec.terminate_grace_sec,
        "start_method": spec.start_method,
        "resources": _resources(spec.resource_request or ResourceRequest()),
        "direction": spec.direction,
        "format_capabilities": [_capability(item) for item in spec.format_capabilities],
        "allowed_types": {"inputs": spec.allowed_input_types, "outputs": spec.allowed_output_types},
    }


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "accepted_types": [kind.__name__ for kind in port.accepted_types],
        "required": port.required and getattr(port, "default", None) is None,
        "is_collection": port.is_collection,
        "description": port.description,
    }


def _resources(request: ResourceRequest) -> dict[str, Any]:
    return {
        "cpu_cores": request.effective_cpu,
        "requires_gpu": request.requires_gpu,
        "memory_gb": request.memory_gb or 0.0,
        "cpu_time_s": request.cpu_time_s or 0.0,
        "wall_time_s": request.wall_time_s or 0.0,
    }


def _capability(item: FormatCapability) -> dict[str, Any]:
    return {
        "id": item.id,
        "direction": str(item.direction),
        "data_type": item.data_type.__name__,
        "format_id": item.format_id,
        "extensions": list(item.extensions),
        "label": item.label,
        "is_default": item.is_default,
        "priority": item.priority,
        "roundtrip_group": item.roundtrip_group,
        "fidelity": str(item.metadata_fidelity.level),
    }


def describe_type(registry: TypeRegistry, spec: TypeSpec) -> dict[str, Any]:
    """Return a type with the field names of the services' ``TypeSpec``."""
    return {
        "name": spec.name,
        "base_type": spec.base_type,
        "description": spec.description,
        "origin": _origin(spec),
        "file_path": spec.file_path,
        "package_name": "" if spec.is_dropin else spec.module_path.partition(".")[0],
        "ui_color": spec.ui_color or "",
        "ui_ring_color": spec.ui_ring_color or "",
        "type_chain": chain_of(registry.load_class(spec.name)),
    }


def _origin(spec: TypeSpec) -> str:
    """Return ``builtin``, ``package``, ``user`` or ``project``."""
    if spec.is_dropin:
        return "user" if Path(spec.file_path).is_relative_to(dropins.user_library()) else "project"
    return "builtin" if spec.module_path.startswith("scistudio.core.") else "package"

"""The ports that a node has with its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scistudio_workflow.domain.catalog import ROOT_TYPE, BlockSpec, Catalog, Port


def effective_ports(spec: BlockSpec, config: Mapping[str, Any], catalog: Catalog) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return inputs and outputs.

    A variadic block takes them from ``input_ports`` and ``output_ports`` of its configuration, where these are lists with entries; a block
    with dynamic ports lets a setting choose their types.
    """
    inputs = _declared(config.get("input_ports")) if spec.variadic_inputs else ()
    outputs = _declared(config.get("output_ports")) if spec.variadic_outputs else ()
    return (
        _retyped(inputs or spec.input_ports, "input_port_mapping", spec, config, catalog),
        _retyped(outputs or spec.output_ports, "output_port_mapping", spec, config, catalog),
    )


def _declared(entries: Any) -> tuple[Port, ...]:
    """Ports from configuration; of two with one name the first counts."""
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return ()
    ports: dict[str, Port] = {}
    for entry in entries:
        if isinstance(entry, Mapping):
            name = entry.get("name")
            port = Port(name=name if isinstance(name, str) and name else "port", accepted_types=_types(entry.get("types")))
            ports.setdefault(port.name, port)
    return tuple(ports.values())


def _types(names: Any) -> tuple[str, ...]:
    listed = [names] if isinstance(names, str) else names if isinstance(names, Sequence) else []
    return tuple(name for name in listed if isinstance(name, str)) or (ROOT_TYPE,)


def _retyped(ports: tuple[Port, ...], key: str, spec: BlockSpec, config: Mapping[str, Any], catalog: Catalog) -> tuple[Port, ...]:
    mapping = spec.dynamic_ports.get(key)
    if not isinstance(mapping, Mapping):
        return ports
    return tuple(_chosen(port, mapping[port.name], spec, config, catalog) if port.name in mapping else port for port in ports)


def _chosen(port: Port, choices: Any, spec: BlockSpec, config: Mapping[str, Any], catalog: Catalog) -> Port:
    """The port with the types that a setting chooses. The name of a registered type, for which there is no choice, stands for itself."""
    value = chosen_value(spec, config)
    types = choices.get(value) if isinstance(choices, Mapping) and isinstance(value, str) else None
    if types is None and isinstance(value, str) and catalog.knows_type(value):
        types = [value]
    return (
        port if types is None else port.model_copy(update={"accepted_types": _types(types), "is_collection": _is_collection(port, config)})
    )


def chosen_value(spec: BlockSpec, config: Mapping[str, Any]) -> Any:
    """Return the value of the setting that chooses the types of a block's ports, None for a block without one."""
    key = spec.dynamic_ports.get("source_config_key")
    if not isinstance(key, str):
        return None
    schema = spec.properties.get(key)
    default = schema.get("default") if isinstance(schema, Mapping) else None
    value = config.get(key)
    return default if value is None else value


def _is_collection(port: Port, config: Mapping[str, Any]) -> bool:
    path = config.get("path")
    return port.is_collection or isinstance(path, list) or (isinstance(path, str) and path.lower().endswith(".xlsx"))

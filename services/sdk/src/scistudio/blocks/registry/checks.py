"""What a block class must fulfil to be offered."""

from __future__ import annotations

import inspect
from typing import Any

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.interactive import interactive_problem
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.io.capabilities import CapabilityValidationError, FormatCapability
from scistudio.blocks.io.io_block import IOBlock
from scistudio.blocks.io.simple_io import SimpleIODeclarationError
from scistudio.blocks.registry.errors import BlockRegistrationError, CapabilityRegistrationError

START_METHODS = ("fork", "spawn")


def is_block(candidate: Any) -> bool:
    """Tell whether ``candidate`` is a block class that can be made."""
    return isinstance(candidate, type) and issubclass(candidate, Block) and not inspect.isabstract(candidate)


def check_block(cls: type[Block]) -> None:
    """Raise ``BlockRegistrationError`` when ``cls`` contradicts itself."""
    for attribute, port_class in (("input_ports", InputPort), ("output_ports", OutputPort)):
        _check_ports(cls, attribute, port_class)
    if cls.start_method not in START_METHODS:
        raise BlockRegistrationError(f"{cls.__name__}.start_method must be one of {START_METHODS}, got {cls.start_method!r}.")
    if problem := interactive_problem(cls):
        raise BlockRegistrationError(f"{cls.__name__}: {problem}")
    if cls.dynamic_ports is not None:
        check_dynamic_ports(cls.__name__, cls.dynamic_ports)
    if issubclass(cls, IOBlock):
        _check_io(cls)


def _check_ports(cls: type[Block], attribute: str, port_class: type) -> None:
    ports = getattr(cls, attribute)
    if not isinstance(ports, list) or not all(isinstance(port, port_class) for port in ports):
        raise BlockRegistrationError(f"{cls.__name__}.{attribute} must be a list of {port_class.__name__}.")
    names = [port.name for port in ports]
    if len(set(names)) != len(names):
        raise BlockRegistrationError(f"{cls.__name__}.{attribute} holds two ports of one name: {names}.")


def check_dynamic_ports(owner: str, descriptor: Any) -> None:
    """Check the shape ``{"source_config_key": key, "output_port_mapping": {port: {value: [type name, …]}}}``.

    Exactly one of ``output_port_mapping`` and ``input_port_mapping`` must be there.
    """
    mappings = {"output_port_mapping", "input_port_mapping"}
    fits = (
        isinstance(descriptor, dict)
        and isinstance(descriptor.get("source_config_key"), str)
        and bool(descriptor["source_config_key"])
        and len(mappings & descriptor.keys()) == 1
        and not descriptor.keys() - mappings - {"source_config_key"}
    )
    mapping = next((descriptor[key] for key in mappings if key in descriptor), None) if fits else None
    if not fits or not _is_port_mapping(mapping):
        raise BlockRegistrationError(
            f"{owner}.dynamic_ports must be {{'source_config_key': key, 'output_port_mapping' or 'input_port_mapping': "
            "{port: {value: [type names]}}}."
        )


def _is_port_mapping(mapping: Any) -> bool:
    def is_choice(choice: Any) -> bool:
        return isinstance(choice, dict) and all(
            isinstance(names, list) and names and all(isinstance(name, str) for name in names) for names in choice.values()
        )

    return isinstance(mapping, dict) and bool(mapping) and all(is_choice(choice) and choice for choice in mapping.values())


def _check_io(cls: type[IOBlock]) -> None:
    if cls.direction not in ("input", "output"):
        raise BlockRegistrationError(f"{cls.__name__}.direction must be 'input' or 'output', got {cls.direction!r}.")
    try:
        capabilities = cls.get_format_capabilities()
    except (CapabilityValidationError, SimpleIODeclarationError) as error:
        raise CapabilityRegistrationError(f"{cls.__name__}: {error}") from error
    for capability in capabilities:
        _check_capability(cls, capability)
    _check_defaults(cls, capabilities)


def _check_capability(cls: type[IOBlock], capability: Any) -> None:
    if not isinstance(capability, FormatCapability):
        raise CapabilityRegistrationError(f"{cls.__name__}.format_capabilities holds {capability!r}, no FormatCapability.")
    expected = "load" if cls.direction == "input" else "save"
    parts = capability.id.split(".")
    if capability.direction != expected:
        raise CapabilityRegistrationError(f"{capability.id}: direction '{capability.direction}' does not fit {cls.__name__}.")
    if capability.block_type != cls.__name__:
        raise CapabilityRegistrationError(f"{capability.id}: block_type '{capability.block_type}' is not '{cls.__name__}'.")
    if not callable(getattr(cls, capability.handler, None)):
        raise CapabilityRegistrationError(f"{capability.id}: {cls.__name__} has no method '{capability.handler}'.")
    if len(parts) < 3 or not all(parts) or any(character.isspace() for character in capability.id):
        raise CapabilityRegistrationError(f"'{capability.id}' must have at least three parts joined by dots, without blanks.")


def _check_defaults(cls: type, capabilities: tuple[FormatCapability, ...]) -> None:
    """Within one block, ids are distinct and a type and extension have one default."""
    ids = [capability.id for capability in capabilities]
    if len(set(ids)) != len(ids):
        raise CapabilityRegistrationError(f"{cls.__name__} declares a capability id twice: {sorted({i for i in ids if ids.count(i) > 1})}.")
    seen: dict[tuple[type, str], str] = {}
    for capability in capabilities:
        for extension in capability.extensions if capability.is_default else ():
            key = (capability.data_type, extension)
            if key in seen:
                raise CapabilityRegistrationError(
                    f"{capability.id} and {seen[key]} are both the default for {key[0].__name__} and '{extension}'."
                )
            seen[key] = capability.id

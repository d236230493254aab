"""What the registry knows about a block without making one."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.interactive import PanelManifest
from scistudio.blocks.io.capabilities import FormatCapability
from scistudio.blocks.io.io_block import IOBlock
from scistudio.blocks.registry.schema import _merge_config_schema
from scistudio.engine.resources import ResourceRequest

CATEGORIES = {
    "IOBlock": "io",
    "ProcessBlock": "process",
    "CodeBlock": "code",
    "AppBlock": "app",
    "AIBlock": "ai",
    "SubWorkflowBlock": "subworkflow",
}


class Scope(IntEnum):
    """Who a block belongs to; of two with one type id the larger scope wins."""

    CORE = 0
    PACKAGE = 1
    USER = 2
    PROJECT = 3


@dataclass(kw_only=True)
class BlockSpec:
    """Description of one registered block class."""

    name: str
    type_name: str
    description: str = ""
    version: str = ""
    module_path: str = ""
    class_name: str = ""
    file_path: str | None = None
    file_mtime: float | None = None
    base_category: str = "unknown"
    subcategory: str = ""
    ui_color: str | None = None
    ui_icon: str | None = None
    input_ports: list[Any] = field(default_factory=list)
    output_ports: list[Any] = field(default_factory=list)
    config_schema: dict[str, Any] = field(default_factory=dict)
    # builtin, tier1 (a drop-in file), entry_point, package_src.
    source: str = "builtin"
    scope: Scope = Scope.CORE
    package_name: str = ""
    direction: str = ""
    dynamic_ports: dict[str, Any] | None = None
    variadic_inputs: bool = False
    variadic_outputs: bool = False
    allowed_input_types: list[str] = field(default_factory=list)
    allowed_output_types: list[str] = field(default_factory=list)
    min_input_ports: int | None = None
    max_input_ports: int | None = None
    min_output_ports: int | None = None
    max_output_ports: int | None = None
    supported_extensions: dict[str, str] = field(default_factory=dict)
    format_capabilities: tuple[FormatCapability, ...] = ()
    runtime_import_roots: list[str] = field(default_factory=list)
    execution_mode: str = "auto"
    panel_manifest: PanelManifest | str | None = None
    panel_asset_root: str | None = None
    terminate_grace_sec: float = 5.0
    start_method: str = "fork"
    resource_request: ResourceRequest | None = None


def block_type_name(cls: type) -> str:
    """Return the id of a block class in workflow files: its own ``type_name``, else one made from the class name."""
    own = cls.__dict__.get("type_name")
    return own if isinstance(own, str) and own else f"{cls.__name__.replace('Block', '').lower()}_block"


def base_category(cls: type) -> str:
    """Return the category of the nearest core base class."""
    return next((CATEGORIES[base.__name__] for base in cls.__mro__ if base.__name__ in CATEGORIES), "unknown")


def describe(cls: type[Block], **known: Any) -> BlockSpec:
    """Return the spec of a block class; ``known`` holds what the class itself cannot say (source, scope, version, …)."""
    io = cls if issubclass(cls, IOBlock) else None
    panel = getattr(cls, "interactive_panel", None)
    return BlockSpec(
        name=cls.name,
        type_name=block_type_name(cls),
        description=cls.description or _first_doc_line(cls),
        module_path=cls.__module__,
        class_name=cls.__qualname__,
        base_category=base_category(cls),
        subcategory=cls.subcategory,
        ui_color=cls.ui_color,
        ui_icon=cls.ui_icon,
        input_ports=list(cls.input_ports),
        output_ports=list(cls.output_ports),
        config_schema=_merge_config_schema(cls),
        direction=io.direction if io else "",
        dynamic_ports=cls.dynamic_ports,
        variadic_inputs=cls.variadic_inputs,
        variadic_outputs=cls.variadic_outputs,
        allowed_input_types=[kind.__name__ for kind in cls.allowed_input_types],
        allowed_output_types=[kind.__name__ for kind in cls.allowed_output_types],
        min_input_ports=cls.min_input_ports,
        max_input_ports=cls.max_input_ports,
        min_output_ports=cls.min_output_ports,
        max_output_ports=cls.max_output_ports,
        supported_extensions=dict(io.supported_extensions) if io else {},
        format_capabilities=io.get_format_capabilities() if io else (),
        execution_mode=str(cls.execution_mode),
        panel_manifest=panel,
        panel_asset_root=panel.asset_root if isinstance(panel, PanelManifest) else None,
        terminate_grace_sec=float(cls.terminate_grace_sec),
        start_method=cls.start_method,
        resource_request=cls.resource_request,
        **known,
    )


def _first_doc_line(cls: type) -> str:
    """Return the first line of the class's own docstring."""
    return inspect.cleandoc(cls.__dict__.get("__doc__") or "").partition("\n")[0]

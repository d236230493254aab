"""The blocks and types that a project's workflows may use, as a probe described them."""

from __future__ import annotations

import difflib
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

ROOT_TYPE = "DataObject"


class _Entry(BaseModel):
    """Of a probe's answer: what it leaves out or empties has its default, and what we do not know is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


class Port(_Entry):
    """A typed end of a block. No accepted types: anything."""

    name: str
    accepted_types: tuple[str, ...] = ()
    required: bool = True
    is_collection: bool = False
    description: str = ""


class Resources(_Entry):
    """What a block asks for; 0 is no limit."""

    cpu_cores: int = 1
    requires_gpu: bool = False
    memory_gb: float = 0.0
    cpu_time_s: float = 0.0
    wall_time_s: float = 0.0


class BlockSpec(_Entry):
    """What is known of a block without importing it."""

    type_name: str
    name: str = ""
    description: str = ""
    version: str = ""
    base_category: str = "unknown"
    subcategory: str = ""
    execution_mode: str = "auto"
    input_ports: tuple[Port, ...] = ()
    output_ports: tuple[Port, ...] = ()
    config_schema: dict[str, Any] = {}
    module: str = ""
    class_name: str = ""
    file_path: str = ""
    import_roots: tuple[str, ...] = ()
    source: str = ""
    package_name: str = ""
    ui_color: str = ""
    ui_icon: str = ""
    variadic_inputs: bool = False
    variadic_outputs: bool = False
    min_input_ports: int | None = None
    max_input_ports: int | None = None
    min_output_ports: int | None = None
    max_output_ports: int | None = None
    dynamic_ports: dict[str, Any] = {}
    terminate_grace_s: float = 5.0
    start_method: str = ""
    resources: Resources = Resources()
    direction: str = ""
    format_capabilities: tuple[dict[str, Any], ...] = ()
    allowed_types: dict[str, tuple[str, ...]] = {}

    @property
    def properties(self) -> dict[str, Any]:
        """The settings of the block's config schema."""
        found = self.config_schema.get("properties")
        return found if isinstance(found, dict) else {}


class TypeSpec(_Entry):
    """What is known of a data type."""

    name: str
    base_type: str = ""
    description: str = ""
    origin: str = ""
    file_path: str = ""
    package_name: str = ""
    ui_color: str = ""
    ui_ring_color: str = ""
    type_chain: tuple[str, ...] = ()


class LoadFailure(_Entry):
    """A drop-in file that could not be loaded."""

    file_path: str
    error_type: str = ""
    message: str = ""


class Catalog(_Entry):
    """All of them, with the questions that checks ask."""

    blocks: tuple[BlockSpec, ...] = ()
    types: tuple[TypeSpec, ...] = ()
    failures: tuple[LoadFailure, ...] = ()

    @cached_property
    def _by_type_name(self) -> dict[str, BlockSpec]:
        return {spec.type_name: spec for spec in self.blocks}

    @cached_property
    def _by_name(self) -> dict[str, BlockSpec]:
        names = [spec.name for spec in self.blocks]
        return {spec.name: spec for spec in self.blocks if spec.name and names.count(spec.name) == 1}

    @cached_property
    def _chains(self) -> dict[str, frozenset[str]]:
        return {spec.name: frozenset((*spec.type_chain, spec.name)) for spec in self.types}

    def find(self, block_type: str) -> BlockSpec | None:
        """Return the block of that type name, or of that display name when only one has it."""
        return self._by_type_name.get(block_type) or self._by_name.get(block_type)

    def similar(self, block_type: str) -> list[str]:
        """Return type names that may have been meant."""
        known = {name.lower(): spec.type_name for spec in self.blocks for name in (spec.name, spec.type_name) if name}
        near = difflib.get_close_matches(block_type.lower(), known, n=3, cutoff=0.6)
        return list(dict.fromkeys(known[name] for name in near))

    def knows_type(self, name: str) -> bool:
        """Say whether a data type of that name is registered."""
        return name in self._chains

    def is_subtype(self, name: str, of: str) -> bool:
        """Say whether ``name`` is ``of`` or derived from it."""
        return name == of or of in self._chains.get(name, ())

    def are_compatible(self, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> bool:
        """Say whether data of one of ``outputs`` may be what one of ``inputs`` accepts: related in either direction, or not known."""
        return not outputs or not inputs or any(self._may_fit(out, into) for out in outputs for into in inputs)

    def _may_fit(self, out: str, into: str) -> bool:
        if ROOT_TYPE in (out, into) or not (self.knows_type(out) and self.knows_type(into)):
            return True
        return self.is_subtype(out, into) or self.is_subtype(into, out)

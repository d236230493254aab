"""Which blocks there are, for a terminal or a program."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from scistudio.blocks.registry.default import registry_of
from scistudio.blocks.registry.errors import DropinFailure
from scistudio.blocks.registry.registry import BlockRegistry
from scistudio.blocks.registry.spec import BlockSpec

COLUMNS = ("Block type", "Name", "Category", "Subcategory", "Version", "Description")
DESCRIPTION_WIDTH = 60


def project_of(folder: Path) -> Path | None:
    """Return the project that ``folder`` lies in: the nearest folder with a ``project.yaml``."""
    return next((candidate for candidate in [folder, *folder.parents] if (candidate / "project.yaml").is_file()), None)


def registry_here() -> BlockRegistry:
    """Scan what is installed, the user's library and the project that we are in."""
    return registry_of(project_of(Path.cwd()))


def sorted_specs(registry: BlockRegistry) -> list[BlockSpec]:
    """Return the specs by category, subcategory and name."""
    return sorted(registry.specs_by_type().values(), key=lambda spec: (spec.base_category, spec.subcategory, spec.name))


def as_table(specs: list[BlockSpec]) -> str:
    """Return the specs as aligned text."""
    rows = [COLUMNS, *((s.type_name, s.name, s.base_category, s.subcategory, s.version, _shortened(s.description)) for s in specs)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", f"Found {len(specs)} block(s). Ports and settings of one: scistudio blocks BLOCK_TYPE"])


def _shortened(text: str) -> str:
    """Return ``text`` cut at a word, so that it is seen to go on."""
    return textwrap.shorten(text, DESCRIPTION_WIDTH, placeholder=" …")


def as_page(spec: BlockSpec) -> str:
    """Return what a workflow's author needs to know of one block: ports and settings."""
    lines = [f"{spec.type_name}: {spec.name}", f"  {spec.description}"]
    for title, ports in (("Inputs", spec.input_ports), ("Outputs", spec.output_ports)):
        lines += ["", f"{title}:" if ports else f"{title}: none", *(f"  {_port_line(port)}" for port in ports)]
    required, settings = spec.config_schema.get("required", []), spec.config_schema.get("properties", {})
    lines += ["", "Settings:" if settings else "Settings: none"]
    lines += [f"  {_setting_line(name, schema, name in required)}" for name, schema in settings.items()]
    return "\n".join(lines)


def _port_line(port: Any) -> str:
    types = " or ".join(kind.__name__ for kind in port.accepted_types) or "anything"
    optional = "" if getattr(port, "required", True) else ", optional"
    return f"{port.name}: {types}{optional}" + (f". {port.description}" if port.description else "")


def _setting_line(name: str, schema: dict[str, Any], required: bool) -> str:
    kinds = schema.get("type", "anything")
    facts = [" or ".join(kinds) if isinstance(kinds, list) else str(kinds)]
    facts += [f"one of {', '.join(map(str, schema['enum']))}"] if "enum" in schema else []
    facts += [f"default {json.dumps(schema['default'], ensure_ascii=False)}"] if "default" in schema else ["required"] * required
    return f"{name}: {'; '.join(facts)}" + (f". {schema['description']}" if schema.get("description") else "")


def as_json(registry: BlockRegistry) -> str:
    """Return everything that is known about the blocks, as services see it."""
    from scistudio.worker.probe import describe_block

    blocks = [describe_block(spec) for spec in sorted_specs(registry)]
    failures = [{"file_path": item.file_path, "error_type": item.error_type, "message": item.message} for item in failures_of(registry)]
    return json.dumps({"blocks": blocks, "failures": failures}, indent=2, ensure_ascii=False)


def failures_of(registry: BlockRegistry) -> list[DropinFailure]:
    """Return what could not be loaded."""
    return [*registry.package_failures(), *registry.dropin_failures()]

"""Which blocks there are, for a terminal or a program."""

from __future__ import annotations

import json
from pathlib import Path

from scistudio.blocks.registry.default import registry_of
from scistudio.blocks.registry.errors import DropinFailure
from scistudio.blocks.registry.registry import BlockRegistry
from scistudio.blocks.registry.spec import BlockSpec

COLUMNS = ("Name", "Category", "Subcategory", "Version", "Description")
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
    rows = [COLUMNS, *((s.name, s.base_category, s.subcategory, s.version, s.description[:DESCRIPTION_WIDTH]) for s in specs)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", f"Found {len(specs)} block(s)"])


def as_json(registry: BlockRegistry) -> str:
    """Return everything that is known about the blocks, as services see it."""
    from scistudio.worker.probe import describe_block

    blocks = [describe_block(spec) for spec in sorted_specs(registry)]
    failures = [{"file_path": item.file_path, "error_type": item.error_type, "message": item.message} for item in failures_of(registry)]
    return json.dumps({"blocks": blocks, "failures": failures}, indent=2, ensure_ascii=False)


def failures_of(registry: BlockRegistry) -> list[DropinFailure]:
    """Return what could not be loaded."""
    return [*registry.package_failures(), *registry.dropin_failures()]

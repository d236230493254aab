"""Checks of blocks that hand data to programs and scripts as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scistudio_workflow.domain.block_checks import Bound, IsFile, boundary_ports
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.config import line_of
from scistudio_workflow.domain.model import Problem, error

REMOVED_KEYS = ("mode", "code", "inline_code", "entry_function", "language")
PLAIN_FILE = "Artifact"


def check_code_blocks(bound: Mapping[str, Bound], is_file: IsFile) -> Iterator[Problem]:
    """A code block runs a script of the project."""
    for node_id, node in bound.items():
        if node.spec.base_category != "code":
            continue
        for key in REMOVED_KEYS:
            if key in node.settings and key not in node.spec.properties:
                message = f"Node {node_id!r}: the setting {key!r} of code blocks is gone."
                hint = "Put the code into a file of the project, and name it in script_path."
                yield error("code.removed_setting", message, node=node_id, line=line_of(node.node, [key]), hint=hint)
        script = node.settings.get("script_path")
        if isinstance(script, str) and script and not is_file(script):
            message = f"Node {node_id!r}: the script {script!r} is no file of the project."
            hint = "script_path is relative to the project folder, and the file must lie inside it."
            yield error("code.script_missing", message, node=node_id, line=line_of(node.node, ["script_path"]), hint=hint)


def check_boundary_formats(bound: Mapping[str, Bound], catalog: Catalog) -> Iterator[Problem]:
    """What crosses as a file needs a block that writes or reads that format for its type."""
    capabilities = [capability for spec in catalog.blocks for capability in spec.format_capabilities]
    if not capabilities:
        return
    for node_id, node in bound.items():
        if node.spec.base_category not in ("app", "code"):
            continue
        for direction, needed in (("input", "save"), ("output", "load")):
            for extension, types in boundary_ports(node.settings, direction):
                if not all(_is_covered(name, extension, needed, capabilities, catalog) for name in types):
                    verb = "written as" if needed == "save" else "read from"
                    yield error(
                        "port.no_format",
                        f"Node {node_id!r}: {' or '.join(types)} cannot be {verb} {extension!r} files.",
                        node=node_id,
                        line=line_of(node.node, [f"{direction}_ports"]),
                        hint="Choose another extension or type, or install a package that knows the format.",
                    )


def _is_covered(name: str, extension: str, needed: str, capabilities: list[dict[str, Any]], catalog: Catalog) -> bool:
    if name == PLAIN_FILE or not catalog.knows_type(name):
        return True
    return any(
        capability.get("direction") == needed
        and extension in capability.get("extensions", ())
        and _type_fits(name, str(capability.get("data_type")), needed, catalog)
        for capability in capabilities
    )


def _type_fits(name: str, capable: str, needed: str, catalog: Catalog) -> bool:
    """A loader may give a subtype of what is asked; a saver may take a base type of what is given."""
    return catalog.is_subtype(capable, name) if needed == "load" else catalog.is_subtype(name, capable)

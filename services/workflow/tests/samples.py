"""A catalog like the one that a probe of a real project gives, and strategies for workflows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.flatten import Graph, flatten
from scistudio_workflow.domain.loader import load_workflow
from scistudio_workflow.domain.model import Edge, Mode, Node, Problem, Workflow
from scistudio_workflow.domain.validation import validate
from scistudio_workflow.errors import WorkflowNotFound


def port(name: str, *types: str, required: bool = True) -> dict[str, Any]:
    return {"name": name, "accepted_types": list(types), "required": required}


CORE_TYPES = ["DataObject", "Array", "Series", "DataFrame", "Text", "Artifact", "CompositeData"]
CATALOG: dict[str, Any] = {
    "blocks": [
        {
            "type_name": "load_data",
            "name": "Load",
            "base_category": "io",
            "direction": "input",
            "module": "scistudio.blocks.io.loaders.load_data",
            "class_name": "LoadData",
            "source": "builtin",
            "output_ports": [port("data", "DataFrame")],
            "config_schema": {
                "type": "object",
                "properties": {
                    "path": {"type": ["string", "array"], "items": {"type": "string"}, "ui_widget": "file_browser"},
                    "core_type": {"type": "string", "enum": CORE_TYPES[1:], "default": "DataFrame"},
                },
                "required": ["path"],
            },
            "dynamic_ports": {
                "source_config_key": "core_type",
                "output_port_mapping": {"data": {name: [name] for name in CORE_TYPES[1:]}},
            },
            "format_capabilities": [{"direction": "load", "data_type": "DataFrame", "extensions": [".csv"]}],
        },
        {
            "type_name": "save_data",
            "name": "Save",
            "base_category": "io",
            "direction": "output",
            "input_ports": [port("data", "DataObject")],
            "output_ports": [port("path", "Text", required=False)],
            "config_schema": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "ui_widget": "directory_browser"},
                    "filename": {"type": "string", "default": ""},
                    "overwrite": {"type": "boolean", "default": False},
                },
                "required": ["path"],
            },
            "format_capabilities": [{"direction": "save", "data_type": "DataFrame", "extensions": [".csv"]}],
        },
        {
            "type_name": "smooth_block",
            "name": "Smooth",
            "base_category": "process",
            "file_path": "/project/blocks/smooth.py",
            "input_ports": [port("image", "Image")],
            "output_ports": [port("image", "Image")],
            "config_schema": {
                "type": "object",
                "properties": {
                    "sigma": {"type": "number", "minimum": 0, "default": 1.5},
                    "mode": {"type": "string", "enum": ["nearest", "wrap"], "default": "nearest"},
                    "label": {"type": "string"},
                    "rounds": {"type": "integer"},
                    "regions": {"type": "array", "items": {"type": "object", "required": ["y"]}},
                },
            },
            "ui_color": None,
        },
        {
            "type_name": "relay_block",
            "name": "Relay",
            "base_category": "process",
            "input_ports": [port("a", required=False), port("b", required=False)],
            "output_ports": [port("out"), port("more")],
        },
        {
            "type_name": "code_block",
            "name": "Code Block",
            "base_category": "code",
            "input_ports": [port("data", "DataObject", required=False)],
            "output_ports": [port("result", "DataObject")],
            "variadic_inputs": True,
            "variadic_outputs": True,
            "config_schema": {"type": "object", "properties": {"script_path": {"type": "string"}}, "required": ["script_path"]},
        },
        {
            "type_name": "mergecollection_block",
            "name": "Merge Collection",
            "base_category": "process",
            "input_ports": [port("input_1"), port("input_2")],
            "output_ports": [port("output")],
            "variadic_inputs": True,
            "min_input_ports": 2,
            "max_input_ports": 8,
        },
    ],
    "types": [{"name": name, "type_chain": ["DataObject", name] if name != "DataObject" else [name]} for name in CORE_TYPES]
    + [{"name": "Image", "base_type": "Array", "type_chain": ["DataObject", "Array", "Image"]}],
    "failures": [],
}


def catalog(**changes: Any) -> Catalog:
    return Catalog.model_validate(CATALOG | changes)


def flattened(text: str, files: dict[str, str] | None = None) -> Graph:
    """The graph of a workflow file's text, beside other files."""

    def read(path: str) -> Workflow:
        if path not in (files or {}):
            raise WorkflowNotFound(f"There is no file {path}.", subject=path)
        return load_workflow((files or {})[path], path)

    return flatten(load_workflow(text, "workflows/main.yaml"), "workflows/main.yaml", read)


def problems_of(text: str, *, mode: Mode = Mode.STRICT, files: dict[str, str] | None = None, **changes: Any) -> list[Problem]:
    return validate(flattened(text, files), catalog(**changes), mode, is_file=lambda path: path == "scripts/fit.py")


names = st.text(st.characters(exclude_characters=":./\\", exclude_categories=["C", "Z"]), min_size=1, max_size=6)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcyno01~ #:'\"", max_size=5), inner, max_size=3),
    max_leaves=6,
)
configs = st.dictionaries(names, values, max_size=3)


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Any workflow: edges to nodes that do not exist, cycles, duplicates and unknown blocks included."""
    ids = st.sampled_from("abcdef")
    block_types = st.sampled_from([spec["type_name"] for spec in CATALOG["blocks"]]) | names
    nodes = draw(st.lists(st.builds(Node, id=ids, block_type=block_types, config=configs), max_size=6))
    ports = st.sampled_from(["a", "b", "out", "more", "data", "image"])
    edges = draw(st.lists(st.builds(Edge, ids, ports, ids, ports), max_size=10))
    return Workflow(
        id="w", description=draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]))), nodes=tuple(nodes), edges=tuple(edges)
    )

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_workflow.domain.catalog import BlockSpec
from scistudio_workflow.domain.config import resolved, settings_of
from scistudio_workflow.domain.config_checks import leaves_project
from scistudio_workflow.domain.document import parse
from scistudio_workflow.domain.loader import load_workflow
from scistudio_workflow.domain.model import Node
from scistudio_workflow.domain.ports import effective_ports

from .samples import catalog


def spec_of(properties: dict[str, Any], **more: Any) -> BlockSpec:
    return BlockSpec(type_name="x", config_schema={"type": "object", "properties": properties}, **more)


def settings(config: str, properties: dict[str, Any]) -> dict[str, Any]:
    text = f"workflow:\n  nodes:\n  - id: n\n    block_type: x\n    config: {config}\n"
    return settings_of(load_workflow(text, "m").nodes[0], spec_of(properties))


TEXT = {"type": "string"}
AS_WRITTEN = [
    "No",
    "NO",
    "on",
    "y",
    "1.10",
    "22:30:00",
    "01234",
    "1e3",
    "1e-3",
    "2024-02-30",
    "1_000",
    "0x1F",
    "True",
    "007",
    "+1",
    ".5",
    ".inf",
]


@pytest.mark.parametrize("written", AS_WRITTEN)
def test_what_a_block_wants_as_text_is_the_text_as_written(written: str) -> None:
    assert settings(f"{{v: {written}}}", {"v": TEXT}) == {"v": written}
    assert settings(f"{{v: [{written}]}}", {"v": {"type": "array", "items": TEXT}}) == {"v": [written]}
    assert settings(f"{{params: {{v: {written}}}}}", {"v": TEXT}) == {"v": written}
    assert settings(f"{{v: {{w: {written}}}}}", {"v": {"type": "object", "properties": {"w": TEXT}}}) == {"v": {"w": written}}


TYPED = [
    ("yes", {"type": "boolean"}, True),
    ("off", {"type": "boolean"}, False),
    ("'yes'", {"type": "boolean"}, "yes"),
    ("5", {"type": "number"}, 5),
    ("1.10", {}, 1.1),
    ("1.10", {"enum": ["1.10", "1.2"]}, "1.10"),
    ("5", {"type": ["string", "integer"]}, 5),
    ("~", TEXT, None),
    ("No", {}, "No"),
    ("0x1F", {"type": "integer"}, 31),
    ("0o17", {}, 15),
    ("1e3", {"type": "number"}, 1000.0),
    ("1700000000000000011", {"type": "integer"}, 1700000000000000011),
    ("!!str 5", {}, "5"),
]


@pytest.mark.parametrize(("written", "schema", "value"), TYPED)
def test_a_value_has_the_type_that_the_schema_wants(written: str, schema: dict[str, Any], value: Any) -> None:
    found = settings(f"{{v: {written}}}", {"v": schema})["v"]
    assert (found, type(found)) == (value, type(value))


def test_params_are_merged_over_the_other_settings() -> None:
    assert settings("{a: 1, b: 2, params: {b: 3, c: 4}}", {}) == {"a": 1, "b": 3, "c": 4}


def test_a_run_is_given_defaults_and_absolute_paths() -> None:
    file = {"type": "string", "ui_widget": "file_browser"}
    spec = spec_of(
        {"path": file, "out": {**file, "default": "data/out"}, "n": {"default": [1]}, "k": {"type": ["integer", "null"], "default": 1}}
    )
    assert resolved(spec, {"path": ["a/./b.csv", "/x/y.csv", "s3://b/c"], "k": None}, "/project") == {
        "path": ["/project/a/b.csv", "/x/y.csv", "s3://b/c"],
        "out": "/project/data/out",
        "n": [1],
        "k": None,
    }


def test_an_empty_setting_is_left_to_its_default() -> None:
    spec = spec_of({"a": {"type": "number"}, "b": {"type": "number", "default": 2}})
    assert resolved(spec, {"a": None, "b": None, "other": None}, "/p") == {"b": 2, "other": None}
    assert settings("{params: null, a: 1}", {}) == {"a": 1}


def test_defaults_of_one_run_are_not_shared_with_the_next() -> None:
    spec = spec_of({"n": {"default": []}})
    resolved(spec, {}, "/p")["n"].append(1)
    assert resolved(spec, {}, "/p") == {"n": []}


def test_a_default_that_json_cannot_carry_is_left_to_the_block() -> None:
    assert resolved(spec_of({"n": {"default": float("nan")}}), {}, "/p") == {}


@given(st.text().filter(lambda path: "\0" not in path))
def test_a_relative_path_stays_in_the_project_or_is_refused(path: str) -> None:
    found = resolved(spec_of({"p": {"type": "string", "ui_widget": "file_browser"}}), {"p": path}, "/project")["p"]
    assert leaves_project(path) or path == "" or path.startswith("/") or "://" in path or found.startswith("/project")


def ports(block_type: str, config: dict[str, Any]) -> tuple[list[tuple[str, tuple[str, ...]]], list[tuple[str, tuple[str, ...]]]]:
    known = catalog()
    spec = known.find(block_type)
    assert spec is not None
    inputs, outputs = effective_ports(spec, settings_of(Node("n", block_type, config), spec), known)
    return [(port.name, port.accepted_types) for port in inputs], [(port.name, port.accepted_types) for port in outputs]


def test_variadic_ports_come_from_the_configuration() -> None:
    config = {
        "output_ports": [{"name": "fit", "types": ["Text"]}, {"name": "fit"}, {"name": "rest"}, {"types": ["Array"]}, 7],
        "input_ports": [],
    }
    assert ports("code_block", config) == (
        [("data", ("DataObject",))],
        [("fit", ("Text",)), ("rest", ("DataObject",)), ("port", ("Array",))],
    )


@pytest.mark.parametrize(
    ("core_type", "gives"), [(None, "DataFrame"), ("Array", "Array"), ("Image", "Image"), ("Unheard", "DataFrame"), (5, "DataFrame")]
)
def test_a_setting_chooses_the_type_of_a_dynamic_port(core_type: Any, gives: str) -> None:
    assert ports("load_data", {"core_type": core_type})[1] == [("data", (gives,))]


@given(
    st.dictionaries(
        st.sampled_from(["input_ports", "output_ports", "params", "path"]), st.recursive(st.none() | st.text() | st.integers(), st.lists)
    )
)
def test_no_configuration_breaks_the_ports(config: dict[str, Any]) -> None:
    for spec in catalog().blocks:
        ports(spec.type_name, config)


def test_a_document_keeps_the_lines_of_keys_and_items() -> None:
    root = parse("a: 1\nb:\n- x\n-  y\n")
    assert root.lines == {"a": 1, "b": 2}
    assert root["b"].lines == [3, 4]

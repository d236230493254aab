from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scistudio.blocks.base import (
    Block,
    BlockConfig,
    ExecutionMode,
    InputPort,
    InteractiveMixin,
    InteractivePrompt,
    OutputPort,
    PanelManifest,
    ResourceRequest,
    cancelled,
    execution,
    load_intermediate,
    progress,
    random_generator,
    scratch_dir,
)
from scistudio.blocks.base.interactive import as_prompt
from scistudio.blocks.base.ports import port_accepts_type, ports_from_config_dicts, validate_connection, validate_port_constraint
from scistudio.core.storage import flush_context
from scistudio.core.types import Array, Collection, DataFrame, DataObject, Text


class Echo(Block):
    """Gives back what comes."""

    input_ports: ClassVar[list[InputPort]] = [InputPort(name="a", accepted_types=[Array])]
    output_ports: ClassVar[list[OutputPort]] = [OutputPort(name="a", accepted_types=[Array])]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        return dict(inputs)


class Editable(Echo):
    """Has the ports that a person edits."""

    variadic_inputs: ClassVar[bool] = True
    min_input_ports: ClassVar[int | None] = 2
    max_input_ports: ClassVar[int | None] = 3


def array() -> Array:
    return Array(axes=["x"], data=np.zeros(2))


@pytest.mark.parametrize("config", [{"sigma": 2}, {"params": {"sigma": 2}}, {"sigma": 1, "params": {"sigma": 2}}])
def test_a_parameter_is_found_however_it_was_written(config: dict[str, Any]) -> None:
    made = BlockConfig(**config)
    assert made.get("sigma") == 2
    assert made.params == {"sigma": 2}
    assert made.get("absent", 5) == 5


def test_what_the_engine_adds_is_found_but_is_no_parameter() -> None:
    config = BlockConfig(sigma=2, block_id="n1", interactive_response={"x": 1})
    assert config.get("block_id") == "n1"
    assert config.get("interactive_response") == {"x": 1}
    assert config.params == {"sigma": 2}


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "Required input port 'a' is missing."),
        ({"a": Collection([Text(content="x")])}, r"Port 'a': Collection item type Text not compatible with \['Array'\]"),
        ({"a": Text(content="x")}, r"Port 'a': got Text, expected one of \['Array'\]"),
    ],
)
def test_an_input_that_does_not_fit_names_its_port(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Echo().validate(inputs)


def test_inputs_that_fit_are_accepted_and_unknown_ones_ignored() -> None:
    assert Echo().validate({"a": Collection([array()]), "other": 1})
    assert Echo().validate({"a": Collection([array()], item_type=DataObject)})


def test_a_collection_of_a_base_type_is_checked_item_by_item() -> None:
    with pytest.raises(ValueError, match="Collection item type DataObject not compatible"):
        Echo().validate({"a": Collection([array(), Text(content="x")], item_type=DataObject)})


@pytest.mark.parametrize(("n_ports", "message"), [(1, "count 1 is below minimum 2"), (4, "count 4 exceeds maximum 3")])
def test_the_number_of_edited_ports_has_limits(n_ports: int, message: str) -> None:
    ports = [{"name": f"p{n}", "types": ["Array"]} for n in range(n_ports)]
    with pytest.raises(ValueError, match=f"Variadic input port {message}"):
        Editable({"input_ports": ports}).validate({})


def test_edited_ports_replace_the_declared_ones() -> None:
    ports = ports_from_config_dicts([{"name": "l", "types": ["Text"]}, {"name": "l"}, {"types": ["NoSuchType"]}], "input")
    assert [(port.name, port.accepted_types, port.required) for port in ports] == [("l", [Text], True), ("port", [DataObject], True)]
    assert [port.name for port in Editable({"input_ports": []}).get_effective_input_ports()] == ["a"]


def test_a_constraint_sees_the_collection_and_says_why_not() -> None:
    port = InputPort(name="a", accepted_types=[], constraint=lambda items: len(items) == 2, constraint_description="exactly two")
    assert validate_port_constraint(port, [1, 2]) == (True, "")
    assert validate_port_constraint(port, [1]) == (False, "exactly two")
    raising = InputPort(name="a", accepted_types=[], constraint=lambda items: items.nope)
    assert validate_port_constraint(raising, [1])[1].startswith("Constraint raised AttributeError: ")


def test_an_edge_joins_related_types_in_either_direction() -> None:
    def ends(left: list[type], right: list[type]) -> bool:
        return validate_connection(OutputPort(name="o", accepted_types=left), InputPort(name="i", accepted_types=right))[0]

    assert ends([Array], [DataObject])
    assert ends([DataObject], [Array])
    assert ends([], [Array])
    assert ends([Text, Array], [Array])
    assert not ends([Text], [Array])
    assert port_accepts_type(InputPort(name="i", accepted_types=[DataObject]), Collection([array()]))


def test_a_type_imported_twice_is_one_type_at_a_port() -> None:
    twin = type("Array", (DataObject,), {})
    assert port_accepts_type(InputPort(name="i", accepted_types=[Array]), twin)
    assert port_accepts_type(InputPort(name="i", accepted_types=[Array]), type("Image", (twin,), {}))


def test_packing_types_a_collection_by_what_its_items_share() -> None:
    assert Block.pack([array(), array()]).item_type is Array
    assert Block.pack([array(), Text(content="")]).item_type is DataObject
    assert Block.pack([], item_type=Text).item_type is Text
    with pytest.raises(ValueError, match="Expected single-item Collection, got length 2"):
        Block.unpack_single(Block.pack([array(), array()]))


def test_mapping_follows_the_results_and_names_the_item_that_fails(tmp_path: Path) -> None:
    texts = Collection([Text(content=text, user={"display_name": text}) for text in ("a", "b")])
    assert Block.map_items(lambda text: DataFrame(data={"c": [text.content]}), texts).item_type is DataFrame

    def fail(text: Text) -> Text:
        if text.content == "b":
            raise KeyError("x")
        return text

    with pytest.raises(KeyError) as caught:
        Block.map_items(fail, texts)
    assert caught.value.__notes__ == ["item 2 of 2: b"]


def test_each_result_is_written_before_the_next_is_computed(tmp_path: Path) -> None:
    flush_context.set_output_dir(tmp_path)
    seen: list[int] = []

    def count(text: Text) -> Text:
        seen.append(len(list(tmp_path.glob("*.txt"))))
        return Text(content="new")

    try:
        Block.map_items(count, Collection([Text(content="a"), Text(content="b")]))
    finally:
        flush_context.clear()
    assert seen == [0, 1]


def test_outside_a_worker_progress_and_its_like_do_no_harm() -> None:
    progress(0.5, "half")
    assert cancelled() is False
    assert scratch_dir().is_dir()
    assert 0 <= random_generator().random() < 1


@pytest.mark.parametrize(("given", "told"), [(float("nan"), None), (None, None), (-1, 0.0), (0.25, 0.25), (float("inf"), 1.0)])
def test_progress_beyond_its_bounds_or_of_nothing_fails_no_block(given: float | None, told: float | None) -> None:
    seen: list[tuple[float | None, str]] = []
    execution.enter(execution.ExecutionContext(report=lambda fraction, message: seen.append((fraction, message))))
    try:
        progress(given, "of nothing")
    finally:
        execution.enter(execution.ExecutionContext())
    assert seen == [(told, "of nothing")]


def test_a_request_for_resources_is_checked() -> None:
    assert ResourceRequest(cpu_cores=2, max_internal_workers=3).effective_cpu == 6
    with pytest.raises(ValueError, match="cpu_cores must be at least 1"):
        ResourceRequest(cpu_cores=0)
    with pytest.raises(ValueError, match="memory_gb must be positive"):
        ResourceRequest(memory_gb=-1)


def test_a_prompt_must_be_strict_json() -> None:
    assert as_prompt({"a": 1}).panel_payload == {"a": 1}
    with pytest.raises(ValueError, match="not strict JSON"):
        as_prompt(InteractivePrompt({"a": float("nan")}))
    with pytest.raises(TypeError, match="must return an InteractivePrompt or a dict, got list"):
        as_prompt([])


def test_a_manifest_shows_no_folder_of_this_machine() -> None:
    manifest = PanelManifest("lab.choose", asset_root="/home/me")
    assert "asset_root" not in manifest.to_dict()
    assert "response_schema" not in manifest.to_dict()


def test_a_remembered_decision_is_taken_again_for_equal_inputs_only() -> None:
    class Asks(InteractiveMixin, Echo):
        execution_mode: ClassVar[ExecutionMode] = ExecutionMode.INTERACTIVE
        interactive_panel = PanelManifest("lab.choose")

        def prepare_prompt(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
            return {}

    block = Asks()
    assert block.remap_saved_decision({"d": 1}, {"a": ["x"]}, {"a": ["x"]}) == {"d": 1}
    assert block.remap_saved_decision({"d": 1}, {"a": ["x"]}, {"a": ["y"]}) is None
    assert load_intermediate(BlockConfig(interactive_intermediate=[{"backend": "zarr", "path": "/a"}]))[0].path == "/a"

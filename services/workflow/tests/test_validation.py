from __future__ import annotations

import pytest
from hypothesis import given
from scistudio_workflow.domain.flatten import flatten
from scistudio_workflow.domain.model import Mode, Severity, Workflow
from scistudio_workflow.domain.validation import validate
from scistudio_workflow.errors import WorkflowNotFound

from .samples import catalog, problems_of, workflows


def workflow(*nodes: str, edges: str = "") -> str:
    lines = ["workflow:", "  nodes:", *(f"  - {{{node}}}" for node in nodes), "  edges:"]
    lines += [
        f"  - {{source: '{start}', target: '{end}'}}" for start, _, end in (edge.partition(" > ") for edge in edges.split(", ") if edge)
    ]
    return "\n".join(lines)


RELAY_A, RELAY_B = "id: a, block_type: relay_block", "id: b, block_type: relay_block"
LOAD = "id: load, block_type: load_data, config: {path: data/raw/a.csv}"
SAVE = "id: save, block_type: save_data, config: {path: out}"
IMAGE = "id: load, block_type: load_data, config: {path: a.tif, core_type: Image}"


def smooth(config: str) -> str:
    return workflow(IMAGE, f"id: smooth, block_type: smooth_block, config: {config}", edges="load:data > smooth:image")


def code(config: str) -> str:
    return workflow(f"id: fit, block_type: code_block, config: {config}")


ERRORS = [
    (workflow(RELAY_A, RELAY_A), "node.duplicate_id", "Two nodes have the id 'a' (line 3 and line 4).", 4),
    (workflow("id: a/../b, block_type: relay_block"), "node.unusable_id", "The node id 'a/../b' holds a slash", 3),
    (workflow("id: ..., block_type: relay_block", "id: .., block_type: relay_block"), "node.unusable_id", "The node id '..' is a dot", 4),
    (workflow(f"id: {'x' * 201}, block_type: relay_block"), "node.unusable_id", "is longer than 200 bytes", 3),
    (
        workflow(RELAY_A, edges="a:out > c:a"),
        "edge.unknown_node",
        "Edge a:out → c:a ends at node 'c', which the workflow does not have.",
        5,
    ),
    (workflow(RELAY_A, RELAY_B, edges="a:out > b:a, b:out > a:a"), "graph.cycle", "The edges form a cycle: a → b → a.", None),
    (workflow(RELAY_A, edges="a:out > a:a"), "graph.cycle", "The edges form a cycle: a → a.", 5),
    (
        workflow(RELAY_A, RELAY_B, edges="a:out > b:a, a:more > b:a"),
        "edge.input_taken",
        "Two edges end at b:a: from a:out and from a:more.",
        7,
    ),
    (workflow(RELAY_A, RELAY_B, edges="a:out > b:a, a:out > b:a"), "edge.duplicate", "The edge a:out → b:a stands twice.", 7),
    (workflow("id: l, block_type: lod_data"), "block.unknown", "Node 'l' has the block type 'lod_data', which is not known.", 3),
    (
        workflow(LOAD, "id: s, block_type: smooth_block", edges="load:data > s:image"),
        "edge.type_mismatch",
        "Edge load:data → s:image: the output gives DataFrame, the input accepts Image.",
        6,
    ),
    (workflow(SAVE), "port.unconnected", "Node 'save': the required input 'data' is not connected.", 3),
    (
        workflow(LOAD, SAVE, edges="load:dta > save:data"),
        "port.unconnected",
        "Node 'save': the required input 'data' is not connected: its edge comes from load:dta, which is no output.",
        4,
    ),
    (
        workflow("id: m, block_type: mergecollection_block, config: {input_ports: [{name: x}]}"),
        "port.count",
        "Node 'm': Variadic input port count 1 is below minimum 2.",
        3,
    ),
    (
        code("{script_path: scripts/fit.py, output_ports: [{name: x, extension: csv}, {name: y, extension: .CSV}]}"),
        "port.duplicate_extension",
        "Node 'fit': 2 outputs have the extension '.csv', so that no file can be matched to its port.",
        3,
    ),
    (code("{}"), "config.missing", "Block 'fit' config is missing required field(s): script_path.", 3),
    (code("{script_path: gone.py}"), "code.script_missing", "Node 'fit': the script 'gone.py' is no file of the project.", 3),
    (
        code("{script_path: scripts/fit.py, inline_code: x}"),
        "code.removed_setting",
        "Node 'fit': the setting 'inline_code' of code blocks is gone.",
        3,
    ),
    (
        code("{script_path: scripts/fit.py, outputs: [{name: x, data_type: DataFrame, extension: .xyz}]}"),
        "port.no_format",
        "Node 'fit': DataFrame cannot be read from '.xyz' files.",
        3,
    ),
    (smooth("{sigma: wide}"), "config.invalid", "Node 'smooth': sigma is 'wide', where a number is expected.", 4),
    (smooth("{sigma: -1}"), "config.invalid", "Node 'smooth': sigma is -1, where a number of at least 0 is expected.", 4),
    (smooth("{params: {sigma: -1}}"), "config.invalid", "Node 'smooth': sigma is -1, where a number of at least 0 is expected.", 4),
    (smooth("{params: fast}"), "config.invalid", "Node 'smooth': params is 'fast', where a mapping of settings is expected.", 4),
    (smooth("{regions: [{x: 1}]}"), "config.invalid", "Node 'smooth': regions[0]: \"y\" is a required property.", 4),
    (smooth("{mode: warp}"), "config.invalid", "Node 'smooth': mode is 'warp', where one of 'nearest', 'wrap' is expected.", 4),
    (smooth("{rounds: 2.5}"), "config.invalid", "Node 'smooth': rounds is 2.5, where a whole number is expected.", 4),
    (smooth("{label: [a]}"), "config.invalid", "Node 'smooth': label is ['a'], where text is expected.", 4),
    (
        workflow("id: load, block_type: load_data, config: {path: ../../etc/passwd}"),
        "config.path_outside",
        "Node 'load': path is '../../etc/passwd', which leaves the project folder.",
        3,
    ),
    (
        workflow("id: load, block_type: load_data, config: {path: [a.csv, b/../../c.csv]}"),
        "config.path_outside",
        "Node 'load': path is 'b/../../c.csv', which leaves the project folder.",
        3,
    ),
    (
        workflow("id: load, block_type: load_data, config: {path: ''}"),
        "config.missing",
        "Block 'load' config is missing required field(s): path.",
        3,
    ),
    (
        workflow("id: l, block_type: load_data, config: {path: a, core_type: Imgae}"),
        "config.invalid",
        "Node 'l': core_type is 'Imgae', where one of",
        3,
    ),
]


@pytest.mark.parametrize(("text", "code", "message", "line"), ERRORS)
def test_what_cannot_run_is_told_with_place_and_remedy(text: str, code: str, message: str, line: int | None) -> None:
    problem = next(problem for problem in problems_of(text) if problem.code == code)
    assert problem.severity is Severity.ERROR
    assert message in problem.message
    assert line is None or problem.line == line


RUNNABLE = [
    workflow(),
    workflow(LOAD, SAVE, edges="load:data > save:data"),
    workflow(IMAGE, SAVE, edges="load:data > save:data"),
    smooth("{sigma: 2, label: 1.10, rounds: 3}"),
    smooth("{params: {sigma: 2}, mode: null}"),
    workflow("id: load, block_type: Load, config: {path: /data/elsewhere/a.csv}"),
    workflow("id: load, block_type: load_data, config: {path: 's3://bucket/a.csv'}"),
    workflow(LOAD, RELAY_A, edges="load:data > a:a"),
    code("{script_path: scripts/fit.py, outputs: [{name: x, data_type: DataFrame, extension: csv}]}"),
    code("{script_path: scripts/fit.py, output_ports: [{name: x, types: [Artifact], extension: pdf}]}"),
]


@pytest.mark.parametrize("text", RUNNABLE)
def test_a_sound_workflow_has_no_problem(text: str) -> None:
    assert problems_of(text) == []


def test_a_base_type_may_feed_a_subtype_since_the_run_checks_again() -> None:
    text = smooth("{}").replace("core_type: Image", "core_type: Array")
    assert problems_of(text) == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (workflow("id: l, block_type: lod_data"), "Did you mean 'load_data'?"),
        (workflow("id: l, block_type: Loda"), "Did you mean 'load_data'?"),
        (workflow(LOAD, "id: sav, block_type: relay_block", edges="load:data > save:a"), "Did you mean 'sav'?"),
        (smooth("{mode: warp}"), "Did you mean 'wrap'?"),
    ],
)
def test_a_near_miss_is_answered_with_what_was_meant(text: str, hint: str) -> None:
    assert hint in [problem.hint for problem in problems_of(text)]


def test_a_drop_in_that_failed_to_load_is_named_where_its_block_is_missing() -> None:
    failure = {"file_path": "blocks/smooth.py", "error_type": "SyntaxError", "message": "invalid syntax"}
    (problem,) = problems_of(workflow("id: s, block_type: my_smooth"), failures=[failure])
    assert "blocks/smooth.py could not be loaded (SyntaxError: invalid syntax)." in problem.hint


WARNINGS = [
    (workflow(LOAD, RELAY_A, edges="load:dta > a:a"), "Edge load:dta → a:a: node 'load' has no output 'dta'."),
    (workflow(RELAY_A, RELAY_B, edges="a:out > b:x"), "Edge a:out → b:x: node 'b' has no input 'x'."),
    (smooth("{sgima: 2}"), "Node 'smooth': block 'smooth_block' has no setting 'sgima'."),
]


@pytest.mark.parametrize(("text", "message"), WARNINGS)
def test_what_a_run_survives_is_a_warning(text: str, message: str) -> None:
    assert [(problem.severity, problem.message) for problem in problems_of(text)] == [(Severity.WARNING, message)]


@pytest.mark.parametrize(
    "text",
    [
        workflow(SAVE),
        code("{}"),
        code("{script_path: gone.py}"),
        workflow("id: s, block_type: subworkflow_block"),
        workflow("id: l, block_type: not_yet_written"),
    ],
)
def test_a_draft_may_be_unfinished(text: str) -> None:
    assert not [problem for problem in problems_of(text, mode=Mode.DRAFT) if problem.severity is Severity.ERROR]
    assert [problem for problem in problems_of(text) if problem.severity is Severity.ERROR]


def test_errors_come_before_warnings() -> None:
    problems = problems_of(workflow(LOAD, RELAY_A, SAVE, edges="load:dta > a:a"))
    assert [problem.severity for problem in problems] == sorted((p.severity for p in problems), key=lambda s: s is not Severity.ERROR)
    assert len(problems) == 2


def test_a_schema_that_is_itself_wrong_is_a_warning_and_fetches_nothing() -> None:
    spec = {"type_name": "odd", "config_schema": {"$ref": "http://127.0.0.1:9/schema.json"}}
    (problem,) = problems_of(workflow("id: o, block_type: odd"), blocks=[spec])
    assert problem.severity is Severity.WARNING
    assert "it refers to http://127.0.0.1:9/schema.json" in problem.message


@given(workflows())
def test_any_workflow_is_validated_without_a_crash_and_a_cycle_is_found_iff_there_is_one(found: Workflow) -> None:
    def read(path: str) -> Workflow:
        raise WorkflowNotFound(path)

    graph = flatten(found, "workflows/main.yaml", read)
    for mode in Mode:
        problems = validate(graph, catalog(), mode, is_file=lambda path: False)
        cycles = [problem for problem in problems if problem.code == "graph.cycle"]
        assert len(cycles) == (1 if found.nodes and has_cycle(found) else 0)


def has_cycle(found: Workflow) -> bool:
    """Peel off nodes that nothing leads to; a cycle is what stays."""
    edges = {(edge.source_node, edge.target_node) for edge in found.edges}
    while free := {start for start, _ in edges} - {end for _, end in edges}:
        edges = {edge for edge in edges if edge[0] not in free}
    return bool(edges)

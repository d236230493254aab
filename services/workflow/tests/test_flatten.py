from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scistudio_workflow.domain.flatten import flatten
from scistudio_workflow.domain.model import SUBWORKFLOW, Edge, ExposedPort, Node, Workflow
from scistudio_workflow.errors import WorkflowNotFound

from .samples import flattened, problems_of, workflows

MAIN = """
workflow:
  nodes:
  - {id: load, block_type: load_data, config: {path: a.csv}}
  - {id: qc, block_type: subworkflow_block, config: {ref: {path: subworkflows/qc.yaml}}}
  - {id: save, block_type: save_data, config: {path: out}}
  edges:
  - {source: 'load:data', target: 'qc:table'}
  - {source: 'qc:checked', target: 'save:data'}
"""
QC = """
workflow:
  nodes:
  - {id: relay, block_type: relay_block}
  - {id: deep, block_type: subworkflow_block, config: {ref: {path: subworkflows/deep.yaml}}}
  edges:
  - {source: 'relay:out', target: 'deep:into'}
  exposed_ports:
    inputs: [{name: table, internal: relay.a}]
    outputs: [{name: checked, internal: deep.from}]
"""
DEEP = """
workflow:
  nodes:
  - {id: relay, block_type: relay_block}
  exposed_ports:
    inputs: [{name: into, internal: relay.a}]
    outputs: [{name: from, internal: relay.more}]
"""
FILES = {"subworkflows/qc.yaml": QC, "subworkflows/deep.yaml": DEEP}


def test_nested_subworkflows_are_put_in_place() -> None:
    graph = flattened(MAIN, FILES)
    assert [node.id for node in graph.nodes] == ["load", "qc__relay", "qc__deep__relay", "save"]
    assert sorted(map(str, graph.edges)) == [
        "load:data → qc__relay:a",
        "qc__deep__relay:more → save:data",
        "qc__relay:out → qc__deep__relay:a",
    ]
    assert graph.files == ("subworkflows/qc.yaml", "subworkflows/deep.yaml")
    assert problems_of(MAIN, files=FILES) == []


def test_one_file_can_be_used_twice() -> None:
    text = MAIN.replace("  edges:", "  - {id: again, block_type: subworkflow_block, config: {ref: {path: subworkflows/qc.yaml}}}\n  edges:")
    ids = [node.id for node in flattened(text, FILES).nodes]
    assert len(ids) == len(set(ids)) == 6


def test_a_missing_subworkflow_keeps_a_run_from_starting_but_not_a_draft_from_being_saved() -> None:
    problems = flattened(MAIN, {}).unresolved
    assert [problem.message for problem in problems] == [
        "Node 'qc' refers to a workflow file that cannot be read: There is no file subworkflows/qc.yaml."
    ]
    assert problems[0].line == 5
    assert [problem.code for problem in problems_of(MAIN, files={})] == ["subworkflow.unresolved"]


def test_workflows_that_contain_each_other_are_told_as_a_circle() -> None:
    one = "workflow: {nodes: [{id: b, block_type: subworkflow_block, config: {ref: {path: b.yaml}}}]}"
    two = "workflow: {nodes: [{id: a, block_type: subworkflow_block, config: {ref: {path: workflows/main.yaml}}}]}"
    (problem,) = flattened(one, {"b.yaml": two, "workflows/main.yaml": one}).unresolved
    assert problem.message == "Cyclic subworkflow reference: workflows/main.yaml -> b.yaml -> workflows/main.yaml (node 'b__a')."


def test_a_node_without_a_reference_is_told() -> None:
    (problem,) = problems_of("workflow: {nodes: [{id: s, block_type: subworkflow_block}]}")
    assert problem.message == "Subworkflow node 's' names no workflow file."


def test_a_port_that_is_no_longer_exposed_is_told_with_those_that_are() -> None:
    (problem,) = problems_of(MAIN.replace("qc:checked", "qc:chekced"), files=FILES)[:1]
    assert problem.message == "Edge qc:chekced → save:data: subworkflows/qc.yaml exposes no output 'chekced'."
    assert "checked" in problem.hint


def test_an_exposed_port_of_an_unknown_node_is_told() -> None:
    broken = QC.replace("relay.a", "gone.a")
    messages = [problem.message for problem in problems_of(MAIN, files=FILES | {"subworkflows/qc.yaml": broken})]
    assert messages == ["Exposed port 'table' of subworkflows/qc.yaml stands for gone.a: node 'gone', which does not exist."]


def test_an_exposed_port_that_the_block_does_not_have_is_told() -> None:
    broken = QC.replace("relay.a", "relay.aa")
    problem = problems_of(MAIN, files=FILES | {"subworkflows/qc.yaml": broken})[0]
    assert "the exposed port of subworkflows/qc.yaml stands for qc__relay.aa, and block 'relay_block' has no such input" in problem.message


def test_subworkflows_that_multiply_without_end_are_refused() -> None:
    def level(n: int) -> str:
        nodes = "".join(f"  - {{id: n{i}, block_type: subworkflow_block, config: {{ref: {{path: l{n + 1}.yaml}}}}}}\n" for i in range(10))
        return f"workflow:\n  nodes:\n{nodes}"

    graph = flattened(level(0), {f"l{n}.yaml": level(n) for n in range(1, 30)})
    assert graph.unresolved[-1].code == "subworkflow.too_large"
    assert len(graph.nodes) < 30_000


def test_a_problem_inside_a_subworkflow_names_its_file() -> None:
    broken = QC.replace("block_type: relay_block", "block_type: smooth_block, config: {sigma: -1}")
    messages = [problem.message for problem in problems_of(MAIN, files=FILES | {"subworkflows/qc.yaml": broken})]
    assert "Node 'qc__relay': sigma is -1, where a number of at least 0 is expected (subworkflows/qc.yaml, line 4)." in messages


@given(workflows())
def test_flattening_a_workflow_without_subworkflows_changes_nothing(workflow: Workflow) -> None:
    graph = flatten(workflow, "workflows/main.yaml", lambda path: workflow)
    assert (graph.nodes, graph.edges) == (workflow.nodes, workflow.edges)


@given(workflows(), st.data())
def test_wrapping_a_workflow_keeps_its_graph_under_prefixed_ids(inner: Workflow, data: st.DataObject) -> None:
    ids = sorted({node.id for node in inner.nodes}) or ["x"]
    exposed = ExposedPort("p", data.draw(st.sampled_from(ids)), "a")
    wrapped = Workflow(nodes=inner.nodes, edges=inner.edges, exposed_inputs=(exposed,))
    outer = Workflow(
        nodes=(Node("s", SUBWORKFLOW, {"ref": {"path": "in.yaml"}}), Node("n", "relay_block")), edges=(Edge("n", "out", "s", "p"),)
    )
    graph = flatten(outer, "workflows/main.yaml", {"in.yaml": wrapped}.__getitem__)
    assert [node.id for node in graph.nodes] == [*(f"s__{node.id}" for node in inner.nodes), "n"]
    expected = [Edge(f"s__{e.source_node}", e.source_port, f"s__{e.target_node}", e.target_port) for e in inner.edges]
    assert list(graph.edges[: len(expected)]) == expected
    assert (Edge("n", "out", f"s__{exposed.node}", "a") in graph.edges) == bool(inner.nodes)


def test_a_reference_that_the_reader_refuses_is_a_problem_not_a_crash() -> None:
    def refuse(path: str) -> Workflow:
        raise WorkflowNotFound(f"no {path}")

    outer = Workflow(nodes=(Node("s", SUBWORKFLOW, {"ref": {"path": "../../etc/passwd"}}),))
    assert "no ../../etc/passwd" in flatten(outer, "workflows/main.yaml", refuse).unresolved[0].message

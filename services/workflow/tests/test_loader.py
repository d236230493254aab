from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_workflow.domain.dump import as_document, dump_workflow
from scistudio_workflow.domain.loader import load_workflow
from scistudio_workflow.domain.model import Workflow
from scistudio_workflow.errors import WorkflowUnreadable

from .samples import workflows

NODES = "workflow:\n  nodes:\n"
BAD_FILES = [
    ("", "main.yaml: the file is empty."),
    ("# only a comment\n", "main.yaml: the file is empty."),
    ("- a\n- b\n", "main.yaml: the file holds a list, where a mapping with the key `workflow` is expected."),
    ("hello", "main.yaml: the file holds the text 'hello', where a mapping with the key `workflow` is expected."),
    ("nodes: []\n", "main.yaml: the key `workflow` is missing."),
    ("workflows:\n  nodes: []\n", "main.yaml, line 1: the key `workflow` is missing. Is 'workflows' meant to be it?"),
    ("workflow: []\n", "main.yaml, line 1: workflow is a list, where a mapping is expected."),
    ("workflow:\n\tnodes: []\n", "main.yaml, line 2, column 1: the line is indented with a tab."),
    ("workflow:\n  description: a: b\n", "main.yaml, line 2, column 17: a colon stands where no key can be."),
    ("workflow:\n  description: 'open\n", "main.yaml, line 3, column 1: a quote is not closed before the end of the file."),
    ("workflow: {nodes: [\n", "main.yaml, line 2, column 1: a value is missing, or a bracket is not closed."),
    ("workflow:\n  description: @home\n", "main.yaml, line 2, column 16: a value starts with a character that YAML reserves"),
    ("workflow:\n  id: a\n  id: b\n", "main.yaml, line 3, column 3: the key 'id' stands twice in one mapping, first in line 2."),
    ("workflow:\n  id: a\x00b\n", "main.yaml, line 2, column 8: there is a control character (U+0000)."),
    ("workflow: {}\n---\nworkflow: {}\n", "main.yaml, line 2, column 1: a second document starts here."),
    ("workflow:\n<<<<<<< HEAD\n  id: a\n=======\n", "main.yaml, line 2, column 1: there is an unresolved merge conflict."),
    ("workflow:\n  metadata: !!python/object:os.system {}\n", "the tag !!python/object:os.system is not allowed."),
    ("workflow:\n  metadata: &a {b: *a}\n", "*a refers to the value that it is a part of."),
    ("workflow:\n  description: *missing\n", "*missing refers to an anchor that is not defined above."),
    ("workflow:\n  ? [a, b]\n  : 1\n", "a list or mapping stands where a key is expected."),
    ("workflow:\n  nodes: 5\n", "main.yaml, line 2: `nodes` is the number 5, where a list is expected."),
    (NODES + "  - load\n", "main.yaml, line 3: node 1 is the text 'load', where a mapping is expected."),
    (NODES + "  - block_type: x\n", "main.yaml, line 3: node 1 has no id."),
    (NODES + "  - id:\n    block_type: x\n", "main.yaml, line 3: the id of node 1 is empty."),
    (NODES + "  - id: '  '\n    block_type: x\n", "main.yaml, line 3: the id of node 1 is empty."),
    (NODES + "  - id: 7\n    block_type: x\n", "main.yaml, line 3: the id of node 1 is the number 7, where text is expected."),
    (NODES + "  - id: true\n    block_type: x\n", "main.yaml, line 3: the id of node 1 is the truth value true, where text is expected."),
    (NODES + "  - id: a\n", "main.yaml, line 3: node 'a' has no block_type."),
    (NODES + "  - id: a\n    blocktype: x\n", "line 4: node 'a' has no block_type. Is 'blocktype' meant to be it?"),
    (NODES + "  - id: a\n    block_type: x\n    config: fast\n", "line 5: the config of node 'a' is the text 'fast'"),
    (NODES + "  - id: a\n    block_type: x\n    layout: {x: left}\n", "line 5: `x` in the layout of node 'a' is the text 'left'"),
    ("workflow:\n  edges:\n  - source: a\n    target: b:in\n", "line 3: the source of edge 1 is 'a', where node_id:port_name is expected."),
    ("workflow:\n  edges:\n  - source: a:b:c\n    target: b:in\n", "the source of edge 1 is 'a:b:c'"),
    ("workflow:\n  edges:\n  - source: a:out\n", "line 3: edge 1 has no target."),
    (
        "workflow:\n  exposed_ports: {inputs: [{name: t, internal: 'a:b'}]}\n",
        "the internal of exposed port 't' is 'a:b', where node_id.port_name",
    ),
    (
        "workflow:\n  exposed_ports:\n    outputs:\n    - {name: t, internal: a.b}\n    - {name: t, internal: a.c}\n",
        "line 5: two exposed ports in outputs have the name 't'.",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_a_bad_file_is_refused_with_its_place_and_what_to_do(text: str, message: str) -> None:
    with pytest.raises(WorkflowUnreadable) as refused:
        load_workflow(text, "main.yaml")
    assert message in refused.value.message
    assert refused.value.hint.endswith((".", "…` to it.", ")."))


def test_all_faults_of_a_file_are_told_at_once() -> None:
    with pytest.raises(WorkflowUnreadable) as refused:
        load_workflow(NODES + "  - id: 1\n    block_type: x\n  - id: b\n", "main.yaml")
    assert refused.value.message.splitlines() == [
        "main.yaml, line 3: the id of node 1 is the number 1, where text is expected.",
        "main.yaml, line 5: node 'b' has no block_type.",
    ]
    assert refused.value.hint == 'Write it in quotes: "1".'


def test_text_that_is_not_utf_8_is_refused_with_its_line() -> None:
    with pytest.raises(WorkflowUnreadable, match=r"main.yaml, line 2: byte 28 \(0xE9\) is not UTF-8 text.") as refused:
        load_workflow("workflow:\n  description: caf\u00e9\n".encode("latin-1"), "main.yaml")
    assert refused.value.hint == "Save the file with the encoding UTF-8."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_load_whatever_wrote_them(encoding: str) -> None:
    assert load_workflow("workflow:\r\n  description: Ångström µ\r\n".encode(encoding), "m").description == "Ångström µ"


def test_aliases_that_expand_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(WorkflowUnreadable, match="aliases expand to, more than 200,000 values"):
        load_workflow("\n".join(lines), "main.yaml")


@pytest.mark.parametrize("text", ["[" * 100_000, "\n".join(" " * n + "a:" for n in range(500)), "{a: " * 5000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(WorkflowUnreadable, match="deeper than 64 levels"):
        load_workflow(text, "main.yaml")


def test_labels_are_kept_as_they_are_written() -> None:
    workflow = load_workflow("workflow:\n  id: 007\n  version: 1.10\n  description: yes\n", "m")
    assert (workflow.id, workflow.version, workflow.description) == ("007", "1.10", "yes")


def test_anchors_and_merge_keys_work() -> None:
    text = NODES + "  - {id: a, block_type: x, config: &c {k: 1, l: 2}}\n  - {id: b, block_type: x, config: {<<: *c, k: 3}}\n"
    assert load_workflow(text, "m").nodes[1].config == {"k": 3, "l": 2}
    assert load_workflow(NODES + "  - {id: a, block_type: x, config: {'<<': 1}}\n", "m").nodes[0].config == {"<<": 1}


def test_unknown_keys_are_ignored() -> None:
    workflow = load_workflow("other: 1\nworkflow:\n  nodes:\n  - {id: a, block_type: x, colour: red}\n  more: 2\n", "m")
    assert as_document(workflow)["nodes"] == [{"id": "a", "block_type": "x", "config": {}}]


@given(st.text() | st.binary())
def test_any_text_loads_or_is_refused_with_a_reason(text: str | bytes) -> None:
    with contextlib.suppress(WorkflowUnreadable):
        assert isinstance(load_workflow(text, "main.yaml"), Workflow)


@given(workflows())
def test_a_saved_workflow_loads_as_it_was(workflow: Workflow) -> None:
    assert as_document(load_workflow(dump_workflow(workflow), "main.yaml")) == as_document(workflow)

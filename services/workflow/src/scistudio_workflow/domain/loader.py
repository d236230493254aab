"""A workflow file's text becomes a Workflow, or an error that names file, line and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scistudio_workflow.domain.document import Listed, Mapped, parse
from scistudio_workflow.domain.faults import DocumentError
from scistudio_workflow.domain.model import Edge, ExposedPort, Node, Workflow
from scistudio_workflow.errors import WorkflowUnreadable

SHOWN_FAULTS = 10
SHOWN_CHARACTERS = 60


def load_workflow(data: bytes | str, source: str) -> Workflow:
    """Read a workflow file.

    Parameters
    ----------
    data : bytes or str
        The file's contents.
    source : str
        The file's name in messages.

    Raises
    ------
    WorkflowUnreadable
        Every fault of the file's shape, each with its line.
    """
    try:
        root = parse(data)
    except DocumentError as error:
        raise WorkflowUnreadable(error.located(source), subject=source, hint=error.hint) from None
    faults = _Faults(source)
    workflow = _file(root, faults)
    faults.raise_if_any()
    return workflow


@dataclass
class _Faults:
    """Collects what is wrong with a file's shape, so that a person sees all of it at once."""

    source: str
    found: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, line: int, problem: str, hint: str) -> None:
        self.found.append((line, problem, hint))

    def raise_if_any(self) -> None:
        if not self.found:
            return
        messages = [DocumentError(problem, hint="", line=line).located(self.source) for line, problem, _ in self.found]
        if len(messages) > SHOWN_FAULTS:
            messages[SHOWN_FAULTS:] = [f"… and {len(messages) - SHOWN_FAULTS} more."]
        raise WorkflowUnreadable("\n".join(messages), subject=self.source, hint=self.found[0][2])


def _file(root: Any, faults: _Faults) -> Workflow:
    example = "Write `workflow:` in the first line, and `nodes:` and `edges:` indented below it."
    if root is None:
        faults.add(0, "the file is empty.", example)
    elif not isinstance(root, Mapped):
        faults.add(0, f"the file holds {_kind(root)}, where a mapping with the key `workflow` is expected.", example)
    elif "workflow" not in root:
        near = _near("workflow", root)
        faults.add(near[1] if near else 0, "the key `workflow` is missing." + _did_you_write(near), example)
    else:
        return _workflow(_mapping(root, "workflow", "workflow", faults), faults)
    return Workflow()


def _workflow(body: Mapped, faults: _Faults) -> Workflow:
    exposed = _mapping(body, "exposed_ports", "exposed_ports", faults)
    return Workflow(
        id=_label(body, "id", "", faults),
        version=_label(body, "version", "1.0.0", faults),
        description=_label(body, "description", "", faults),
        nodes=tuple(_node(n, item, faults) for n, item in _entries(body, "nodes", "node", faults)),
        edges=tuple(edge for n, item in _entries(body, "edges", "edge", faults) if (edge := _edge(n, item, faults)) is not None),
        metadata=_mapping(body, "metadata", "metadata", faults),
        exposed_inputs=_exposed(exposed, "inputs", faults),
        exposed_outputs=_exposed(exposed, "outputs", faults),
        has_exposed_ports=body.get("exposed_ports") is not None,
    )


def _entries(body: Mapped, key: str, noun: str, faults: _Faults) -> Iterator[tuple[int, Mapped]]:
    """The mappings of a list, numbered from 1."""
    value = body.get(key)
    if value is None:
        return
    if not isinstance(value, Listed):
        faults.add(body.lines[key], f"`{key}` is {_kind(value)}, where a list is expected.", f"Start each {noun} with `- `.")
        return
    for number, item in enumerate(value, start=1):
        if isinstance(item, Mapped):
            yield number, item
        else:
            faults.add(
                value.lines[number - 1],
                f"{noun} {number} is {_kind(item)}, where a mapping is expected.",
                f"See how other {noun}s are written.",
            )


def _node(number: int, item: Mapped, faults: _Faults) -> Node:
    node_id = _text(item, "id", f"node {number}", faults)
    name = f"node {node_id!r}" if node_id else f"node {number}"
    return Node(
        id=node_id,
        block_type=_text(item, "block_type", name, faults),
        config=_mapping(item, "config", f"the config of {name}", faults),
        execution_mode=_execution_mode(item, name, faults),
        layout=_layout(item, name, faults),
        line=item.line,
    )


def _execution_mode(item: Mapped, name: str, faults: _Faults) -> str:
    value = item.get("execution_mode")
    if value is None or isinstance(value, str):
        return value or ""
    faults.add(item.lines["execution_mode"], f"the execution_mode of {name} is {_kind(value)}.", "Write auto, interactive or external.")
    return ""


def _layout(item: Mapped, name: str, faults: _Faults) -> dict[str, float] | None:
    if item.get("layout") is None:
        return None
    layout = _mapping(item, "layout", f"the layout of {name}", faults)
    for key, value in layout.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            faults.add(
                layout.lines[key], f"`{key}` in the layout of {name} is {_kind(value)}, where a number is expected.", "Write a number."
            )
    return {key: float(value) for key, value in layout.items() if isinstance(value, int | float) and abs(value) < 1e300}


def _edge(number: int, item: Mapped, faults: _Faults) -> Edge | None:
    source = _endpoint(item, "source", f"edge {number}", ":", faults)
    target = _endpoint(item, "target", f"edge {number}", ":", faults)
    return Edge(*source, *target, line=item.line) if source and target else None


def _exposed(exposed: Mapped, key: str, faults: _Faults) -> tuple[ExposedPort, ...]:
    ports = []
    seen: set[str] = set()
    for number, item in _entries(exposed, key, "exposed port", faults):
        name = _text(item, "name", f"exposed port {number} in {key}", faults)
        internal = _endpoint(item, "internal", f"exposed port {name!r}", ".", faults)
        if name and name in seen:
            faults.add(item.line, f"two exposed ports in {key} have the name {name!r}.", "Give each port a name of its own.")
        seen.add(name)
        if name and internal:
            ports.append(ExposedPort(name, *internal, line=item.line))
    return tuple(ports)


def _endpoint(item: Mapped, key: str, name: str, separator: str, faults: _Faults) -> tuple[str, str] | None:
    """The two sides of ``node:port`` or ``node.port``."""
    text = _text(item, key, name, faults)
    if not text:
        return None
    node, _, port = text.partition(separator)
    if text.count(separator) == 1 and node.strip() and port.strip():
        return node, port
    sign = "colon" if separator == ":" else "dot"
    form = f"node_id{separator}port_name"
    faults.add(
        item.lines[key], f"the {key} of {name} is {_shown(text)}, where {form} is expected.", f"Write `{form}` with exactly one {sign}."
    )
    return None


def _text(item: Mapped, key: str, name: str, faults: _Faults) -> str:
    """A required text."""
    value = item.get(key)
    if isinstance(value, str) and value.strip():
        return value
    if key not in item:
        near = _near(key, item)
        faults.add(near[1] if near else item.line, f"{name} has no {key}." + _did_you_write(near), f"Add `{key}: …` to it.")
    elif value is None or isinstance(value, str):
        faults.add(item.lines[key], f"the {key} of {name} is empty.", f"Write a text after `{key}:`.")
    else:
        quoted = f' Write it in quotes: "{item.texts[key]}".' if key in item.texts else ""
        faults.add(item.lines[key], f"the {key} of {name} is {_kind(value)}, where text is expected.", quoted.strip() or "Write a text.")
    return ""


def _label(body: Mapped, key: str, default: str, faults: _Faults) -> str:
    """An optional text, kept as it was written when it looks like a number."""
    value = body.get(key)
    if value is None:
        return default
    if isinstance(value, str):
        return value
    if key not in body.texts:
        faults.add(body.lines[key], f"`{key}` is {_kind(value)}, where text is expected.", "Write a text.")
    return body.texts.get(key, default)


def _mapping(body: Mapped, key: str, name: str, faults: _Faults) -> Mapped:
    value = body.get(key)
    if isinstance(value, Mapped):
        return value
    if value is not None:
        faults.add(
            body.lines[key], f"{name} is {_kind(value)}, where a mapping is expected.", "Write `key: value` lines, indented below it."
        )
    return Mapped()


def _near(key: str, item: Mapped) -> tuple[str, int] | None:
    """A key that was probably meant to be ``key``, and its line."""
    near = difflib.get_close_matches(key, item, n=1, cutoff=0.7)
    return (near[0], item.lines[near[0]]) if near else None


def _did_you_write(near: tuple[str, int] | None) -> str:
    return f" Is {near[0]!r} meant to be it?" if near else ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")


def _kind(value: Any) -> str:
    """What a value is, in words."""
    match value:
        case None:
            return "empty"
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value:.12g}" if isinstance(value, float) else f"the number {str(value)[:SHOWN_CHARACTERS]}"
        case str():
            return f"the text {_shown(value)}"
        case Listed():
            return "a list"
        case _:
            return "a mapping"

"""The one YAML reader: text in, plain values with their lines out.

YAML 1.1, which PyYAML reads by itself, turns ``No`` into false, ``22:30`` into 1350 and ``01234`` into 668. This reader follows the core
schema of YAML 1.2, and keeps how each unquoted value was written, so that a block's schema can ask for the text (``1.10`` where a string is
expected). What it reads:

- ``true`` and ``false`` (also ``True``, ``TRUE``) are booleans; ``yes no on off y n`` are text;
- ``12``, ``0x1f`` and ``0o17`` are integers; ``1.5``, ``.5`` and ``1e3`` are numbers; ``01234``, ``1_000``, ``22:30`` and dates are text;
- ``.inf``, ``.nan`` and numbers that only infinity could hold are text, since JSON has none of them;
- keys are always text, as they were written;
- anchors, aliases and ``<<`` work, within limits; tags other than those of plain values, several documents in one file, and a key that
  stands twice are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from scistudio_workflow.domain.faults import DEPTH_LIMIT, DocumentError, explain, fault, fault_at, position_of
from scistudio_workflow.domain.scalars import TAG, YES_AND_NO, short_tag, typed

VALUE_LIMIT = 200_000

_UNPRINTABLE = re.compile("[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Mapped(dict[str, Any]):
    """A mapping that knows the line of each key, and how each unquoted value was written."""

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}
        self.texts: dict[str, str] = {}


class Listed(list[Any]):
    """A sequence that knows the line of each item, and how each unquoted item was written."""

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []
        self.texts: dict[int, str] = {}


def parse(data: bytes | str) -> Any:
    """Read one YAML document.

    Returns
    -------
    Mapped, Listed, str, int, float, bool or None

    Raises
    ------
    DocumentError
        With line, column and what to do.
    """
    text = decode(data)
    _refuse_conflict_markers(text)
    if (found := _UNPRINTABLE.search(text)) is not None:
        raise fault_at(text, found.start(), f"there is a control character (U+{ord(found.group()):04X}).", "Remove that character.")
    return _Reader(text).read()


def decode(data: bytes | str) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with its byte order mark."""
    if isinstance(data, str):
        return data
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"byte {error.start} (0x{data[error.start]:02X}) is not {encoding.upper().removesuffix('-SIG')} text.",
            hint="Save the file with the encoding UTF-8.",
            line=line,
        ) from None


def _refuse_conflict_markers(text: str) -> None:
    found = re.search(r"^(<<<<<<< |>>>>>>> )", text, re.MULTILINE)
    if found is not None:
        raise fault_at(
            text,
            found.start(),
            "there is an unresolved merge conflict.",
            "Choose one of the two versions between the <<<<<<< and >>>>>>> lines, and remove these lines.",
        )


@dataclass
class _Frame:
    """A collection that is being read."""

    value: Mapped | Listed
    anchor: str | None
    weight: int = 1
    key: str | None = None
    key_line: int = 0
    merging: bool = False
    merges: list[tuple[int, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Item:
    """A value that is complete."""

    value: Any
    line: int
    column: int
    text: str | None = None
    weight: int = 1
    written: str | None = None
    plain: bool = False


class _Reader:
    """Builds values from the parser's events with a stack of its own, so that no nesting exhausts the interpreter's."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[_Frame] = []
        self._anchors: dict[str, _Item | None] = {}
        self._n_values = 0
        self._root: _Item | None = None

    def read(self) -> Any:
        parser = yaml.CSafeLoader(self._text)
        try:
            while parser.check_event():
                self._take(parser.get_event())
        except yaml.MarkedYAMLError as error:
            raise self._syntax_error(error) from None
        finally:
            parser.dispose()
        return None if self._root is None else self._root.value

    def _take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._complete(self._scalar(event), event.anchor)
            case yaml.AliasEvent():
                self._complete(self._alias(event), None)
            case yaml.MappingStartEvent():
                self._open(event, Mapped(position_of(event)[0]), "map")
            case yaml.SequenceStartEvent():
                self._open(event, Listed(position_of(event)[0]), "seq")
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event)
            case yaml.DocumentStartEvent() if self._root is not None:
                raise fault(event, "a second document starts here.", "Keep one document, without `---` lines, in a file.")

    def _open(self, event: Any, value: Mapped | Listed, tag: str) -> None:
        if event.tag not in (None, "!", TAG + tag):
            raise fault(event, f"the tag {short_tag(event.tag)} is not allowed.", "Remove the tag.")
        if len(self._stack) >= DEPTH_LIMIT:
            raise fault(event, f"values are nested deeper than {DEPTH_LIMIT} levels.", "Make the file flatter.")
        self._refuse_as_key(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._count(event, 1)
        self._stack.append(_Frame(value, event.anchor))

    def _refuse_as_key(self, event: Any) -> None:
        if self._stack and isinstance(self._stack[-1].value, Mapped) and self._stack[-1].key is None:
            raise fault(
                event, "a list or mapping stands where a key is expected.", "Use text as the key; quote it if it starts with [ or {."
            )

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        if isinstance(frame.value, Mapped):
            _merge(frame)
        line = frame.value.line
        self._complete(_Item(frame.value, line, 0, weight=frame.weight), frame.anchor)

    def _complete(self, item: _Item, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = item
        if not self._stack:
            self._root = item
            return
        frame = self._stack[-1]
        frame.weight += item.weight
        if isinstance(frame.value, Listed):
            _append(frame.value, item)
        elif frame.key is None:
            self._set_key(frame, frame.value, item)
        else:
            self._set_value(frame, frame.value, item)

    def _set_key(self, frame: _Frame, mapping: Mapped, item: _Item) -> None:
        if isinstance(item.value, Mapped | Listed):
            raise DocumentError(
                "an alias of a list or mapping stands where a key is expected.", hint="Use text as the key.", line=item.line
            )
        key = item.written if item.written is not None else str(item.value)
        if key in mapping.lines:
            raise DocumentError(
                f"the key {key!r} stands twice in one mapping, first in line {mapping.lines[key]}.",
                hint="Keep one of the two.",
                line=item.line,
                column=item.column,
            )
        frame.key, frame.key_line, frame.merging = key, item.line, key == "<<" and item.plain

    def _set_value(self, frame: _Frame, mapping: Mapped, item: _Item) -> None:
        key, frame.key = frame.key or "", None
        if frame.merging:
            frame.merges.append((frame.key_line, item.value))
            return
        mapping[key], mapping.lines[key] = item.value, frame.key_line
        if item.text is not None:
            mapping.texts[key] = item.text

    def _scalar(self, event: Any) -> _Item:
        self._count(event, 1)
        line, column = position_of(event)
        value = typed(event)
        plain = event.implicit[0] and event.tag is None
        keep = plain and (not isinstance(value, str) or value.lower() in YES_AND_NO)
        return _Item(value, line, column, text=event.value if keep else None, written=event.value, plain=plain)

    def _alias(self, event: Any) -> _Item:
        if event.anchor not in self._anchors:
            raise fault(event, f"*{event.anchor} refers to an anchor that is not defined above.", f"Quote it if *{event.anchor} is text.")
        target = self._anchors[event.anchor]
        if target is None:
            raise fault(event, f"*{event.anchor} refers to the value that it is a part of.", "Write the value out.")
        self._count(event, target.weight)
        line, column = position_of(event)
        return _Item(target.value, line, column, text=target.text, weight=target.weight, written=target.written)

    def _count(self, event: Any, n: int) -> None:
        self._n_values += n
        if self._n_values > VALUE_LIMIT:
            raise fault(
                event, f"the file holds, or its aliases expand to, more than {VALUE_LIMIT:,} values.", "Split it into smaller files."
            )

    def _syntax_error(self, error: yaml.MarkedYAMLError) -> DocumentError:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
        problem, hint = explain(error, self._text, line)
        return DocumentError(problem, hint=hint, line=line, column=column)


def _append(items: Listed, item: _Item) -> None:
    if item.text is not None:
        items.texts[len(items)] = item.text
    items.append(item.value)
    items.lines.append(item.line)


def _merge(frame: _Frame) -> None:
    """Put the keys of ``<<`` mappings where the mapping has none of its own."""
    mapping = frame.value
    assert isinstance(mapping, Mapped)
    for line, merged in frame.merges:
        sources = merged if isinstance(merged, Listed) else [merged]
        if not all(isinstance(source, Mapped) for source in sources):
            raise DocumentError("<< must be followed by an alias of a mapping.", hint="Quote the key if << is meant as text.", line=line)
        for source in sources:
            for key in source.keys() - mapping.keys():
                mapping[key], mapping.lines[key] = source[key], line
                if key in source.texts:
                    mapping.texts[key] = source.texts[key]

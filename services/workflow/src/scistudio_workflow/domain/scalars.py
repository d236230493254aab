"""What a single value in a document is: the core schema of YAML 1.2, minus what JSON cannot carry."""

from __future__ import annotations

import re
from typing import Any

from scistudio_workflow.domain.faults import fault

DIGIT_LIMIT = 4_000
TAG = "tag:yaml.org,2002:"

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z", re.ASCII)
_PREFIXED = re.compile(r"0x[0-9a-fA-F]+\Z|0o[0-7]+\Z")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z", re.ASCII)
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = {"", "~", "null", "Null", "NULL"}
_STARTS = frozenset("~.+-0123456789nNtTfF")  # of what is anything else than text
YES_AND_NO = {"yes": True, "on": True, "y": True, "no": False, "off": False, "n": False}


def typed(event: Any) -> Any:
    """Return the value of a scalar by its tag, or by how it is written when it is plain."""
    if event.tag in (None, "!"):
        return _plain(event.value) if event.implicit[0] and event.tag is None else event.value
    name, value = event.tag.removeprefix(TAG), _plain(event.value)
    if name == "str":
        return event.value
    if name == "float" and type(value) is int:
        return float(value)
    if not isinstance(value, _TAGGED.get(name, ())):
        raise fault(event, f"{event.value!r} with the tag {short_tag(event.tag)} cannot be read.", "Remove the tag.")
    return value


_TAGGED: dict[str, Any] = {"int": int, "float": float, "bool": bool, "null": type(None)}


def _plain(text: str) -> Any:
    """The value of an unquoted scalar."""
    if text and text[0] not in _STARTS:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if len(text) > DIGIT_LIMIT:
        return text
    if _INTEGER.match(text):
        return int(text)
    if _PREFIXED.match(text):
        return int(text, 0)
    if _NUMBER.match(text) and abs(number := float(text)) != float("inf"):
        return number
    return text


def short_tag(tag: str) -> str:
    """Return a tag as people write it."""
    return tag.replace(TAG, "!!", 1)

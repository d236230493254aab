"""Identifiers: UUIDv7, which sort by age."""

from __future__ import annotations

import re
from typing import NewType

import uuid_utils.compat

ProjectId = NewType("ProjectId", str)
RunId = NewType("RunId", str)
NodeId = NewType("NodeId", str)
ExecutionId = NewType("ExecutionId", str)

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def new_id() -> str:
    """Return a new UUIDv7 as text."""
    return str(uuid_utils.compat.uuid7())


def subject_token(text: str) -> str:
    """Return ``text`` as one token of a NATS subject: no dots, blanks or wildcards, and different texts stay different."""
    return _UNSAFE.sub(lambda match: "".join(f"={byte:02X}" for byte in match.group().encode()), text) or "="

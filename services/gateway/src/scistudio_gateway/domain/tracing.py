"""The id by which a request is found in the logs."""

from __future__ import annotations

import re
import secrets

TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def trace_id_of(traceparent: str | None) -> str:
    """Return the trace id that a caller sent (W3C ``traceparent``), or a new one."""
    match = TRACEPARENT.fullmatch(traceparent or "")
    return match[1] if match and int(match[1], 16) else secrets.token_hex(16)

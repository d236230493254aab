"""The outcome of a block, for callers that run one themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class BlockResult:
    """Outputs by port, the time they took, and the error text if there was one. Blocks themselves return plain dicts."""

    outputs: dict[str, Any] = field(default_factory=dict)
    duration_ms: int = 0
    error: str | None = None

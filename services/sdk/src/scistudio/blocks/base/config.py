"""The configuration of one node, as its block sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

# What the engine adds to a node's own configuration; these are never parameters.
ENGINE_KEYS = frozenset(
    {"block_id", "workflow_id", "run_id", "project_dir", "interactive_response", "interactive_intermediate", "interactive_memory"}
)


class BlockConfig(BaseModel):
    """Parameters of a block, and what the engine tells it (``block_id``, ``workflow_id``, ``run_id``, ``project_dir``).

    A workflow file may write parameters flat (``config: {sigma: 2}``) or under ``params``. ``get`` finds both; flat
    ones are also put into ``params``, so that code which reads only that sees them too.
    """

    model_config = ConfigDict(extra="allow")

    params: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _fill_params(cls, data: Any) -> Any:
        """Put flat keys into ``params``; what is already there wins."""
        if not isinstance(data, Mapping):
            return data
        own = data.get("params")
        if own is not None and not isinstance(own, Mapping):
            return data
        flat = {key: value for key, value in data.items() if key != "params" and key not in ENGINE_KEYS}
        return {**data, "params": {**flat, **(own or {})}}

    def get(self, key: str, default: Any = None) -> Any:
        """Return the parameter ``key``: from ``params``, else from the flat keys, else ``default``."""
        if key in self.params:
            return self.params[key]
        return (self.model_extra or {}).get(key, default)

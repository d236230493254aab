"""What the framework itself knows about a data object."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from scistudio.stability import stable


@stable(since="0.3.1")
class FrameworkMeta(BaseModel):
    """Identity and descent of a data object: kept by the framework, never edited by a block author."""

    model_config = ConfigDict(frozen=True)

    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    object_id: str = Field(default_factory=lambda: uuid4().hex)
    source: str = ""
    lineage_id: str | None = None
    derived_from: str | None = None

    def derive(self, **changes: Any) -> FrameworkMeta:
        """Return the metadata of an object made from this one: a new id and time, and ``derived_from`` set to our id.

        Parameters
        ----------
        **changes
            Fields to set otherwise, such as ``source="stitched"``.
        """
        inherited = {"source": self.source, "lineage_id": self.lineage_id, "derived_from": self.object_id}
        return FrameworkMeta(**{**inherited, **changes})

    def with_lineage_id(self, lineage_id: str) -> FrameworkMeta:
        """Return a copy that carries ``lineage_id``."""
        return self.model_copy(update={"lineage_id": lineage_id})

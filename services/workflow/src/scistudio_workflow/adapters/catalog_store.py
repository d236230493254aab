"""Catalogs kept in their project, so that a second start needs no probe."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from scistudio_workflow.adapters.files import read_limited, write_atomically
from scistudio_workflow.adapters.fingerprint import sources_fingerprint
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.errors import CatalogUnreadable

CACHE_FILE = ".scistudio/cache/catalog.json"
FORMAT = 1
SIZE_LIMIT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Snapshot:
    """A catalog, the text it was read from, and the fingerprint of what it was made of."""

    catalog: Catalog
    text: str
    fingerprint: str
    sources: str

    @classmethod
    def of_answer(cls, text: str, fingerprint: str) -> Snapshot:
        """Read a probe's answer.

        Raises
        ------
        CatalogUnreadable
        """
        try:
            catalog = Catalog.model_validate_json(text)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in fault["loc"])
            raise CatalogUnreadable(
                f"A worker described the blocks and types in a form that is not understood: {place}: {fault['msg']}.",
                subject="catalog",
                hint="Install the same version of SciStudio for services and workers.",
            ) from None
        return cls(catalog, text, fingerprint, sources_fingerprint(_packages(catalog)))

    @cached_property
    def etag(self) -> str:
        """Changes with the catalog."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def is_current(self, fingerprint: str) -> bool:
        """Say whether nothing has changed since."""
        return self.fingerprint == fingerprint and self.sources == sources_fingerprint(_packages(self.catalog))


def _packages(catalog: Catalog) -> list[str]:
    """Top-level packages of the blocks that are no drop-in files."""
    return sorted({spec.module.partition(".")[0] for spec in catalog.blocks if spec.module and spec.source not in ("project", "user")})


def load_snapshot(project_dir: Path) -> Snapshot | None:
    """Return what an earlier start kept; None when there is nothing, or nothing readable."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, CatalogUnreadable):
        data = read_limited(project_dir / CACHE_FILE, SIZE_LIMIT_BYTES)
        kept: dict[str, Any] = json.loads(data or b"{}")
        if kept["format"] == FORMAT:
            snapshot = Snapshot.of_answer(kept["catalog"], kept["fingerprint"])
            return Snapshot(snapshot.catalog, snapshot.text, snapshot.fingerprint, kept["sources"])
    return None


def keep_snapshot(project_dir: Path, snapshot: Snapshot) -> None:
    """Keep a catalog for the next start; without space or rights, the next start probes again."""
    kept = {"format": FORMAT, "fingerprint": snapshot.fingerprint, "sources": snapshot.sources, "catalog": snapshot.text}
    path = project_dir / CACHE_FILE
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(kept).encode())

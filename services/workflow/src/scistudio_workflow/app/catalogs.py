"""The catalog of each project: read by a worker, and read again when something changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from scistudio_workflow.adapters.catalog_store import Snapshot, keep_snapshot, load_snapshot
from scistudio_workflow.adapters.fingerprint import fingerprint

Probe = Callable[[str], Awaitable[str]]


class Catalogs:
    """A part.

    Parameters
    ----------
    probe : callable
        Asks a worker to read the blocks and types of a project folder, and returns its answer, JSON text.
    library_dir : Path
        The user's library.
    """

    def __init__(self, probe: Probe, library_dir: Path) -> None:
        self._probe, self._library_dir = probe, library_dir
        self._snapshots: dict[Path, Snapshot] = {}
        self._probing: dict[tuple[Path, str], asyncio.Task[Snapshot]] = {}

    async def start(self) -> None:
        """Nothing: catalogs are read when they are asked for."""

    async def stop(self) -> None:
        """End the probes that run."""
        tasks = list(self._probing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def get(self, project_dir: Path, *, rescan: bool = False) -> Snapshot:
        """Return the project's catalog as its files are now. Callers at the same time share one probe."""
        mark = await asyncio.to_thread(fingerprint, project_dir, self._library_dir)
        kept = None if rescan else await self._kept(project_dir, mark)
        if kept is not None:
            return kept
        key = (project_dir, mark)
        if key not in self._probing:
            task = asyncio.create_task(self._read(project_dir, mark), name=f"probe {project_dir}")
            self._probing[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))
        return await asyncio.shield(self._probing[key])  # one caller that leaves takes nobody's answer along

    async def _kept(self, project_dir: Path, mark: str) -> Snapshot | None:
        """What is known already, in memory or from an earlier start, if it is still true."""
        snapshot = self._snapshots.get(project_dir)
        if snapshot is None:
            snapshot = await asyncio.to_thread(load_snapshot, project_dir)
        if snapshot is None or not await asyncio.to_thread(snapshot.is_current, mark):
            return None
        return self._snapshots.setdefault(project_dir, snapshot)

    async def _read(self, project_dir: Path, mark: str) -> Snapshot:
        answer = await self._probe(str(project_dir))
        snapshot = await asyncio.to_thread(Snapshot.of_answer, answer, mark)
        self._snapshots[project_dir] = snapshot
        await asyncio.to_thread(keep_snapshot, project_dir, snapshot)
        return snapshot

    def _ended(self, key: tuple[Path, str], task: asyncio.Task[Snapshot]) -> None:
        del self._probing[key]
        if not task.cancelled():
            task.exception()  # its callers have been told; when all have left, nobody asks

"""Chooses, once, how trees of processes are ended and held to memory limits here, and makes a group for each execution."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scistudio_platform.logging import get_logger

from scistudio_worker import cgroups, trees
from scistudio_worker.cgroups import Hierarchies
from scistudio_worker.memory import MemoryLimit, PolledLimit, UnifiedLimit, V1Limit
from scistudio_worker.trees import FreezerTree, ReaperTree, Tree, UnifiedTree

logger = get_logger("worker")


@dataclass(frozen=True, slots=True)
class Group:
    """What holds the processes of one execution together."""

    tree: Tree
    memory: MemoryLimit | None

    @property
    def join(self) -> list[str]:
        """Files in which the child enters itself, the tree's first."""
        return [*self.tree.join, *(self.memory.join if self.memory is not None else [])]


class Groups:
    """Makes and removes groups.

    Parameters
    ----------
    hierarchies : Hierarchies
        What ``cgroups.find`` found, or less, to use a lesser means.
    """

    def __init__(self, hierarchies: Hierarchies) -> None:
        self._in = hierarchies
        self._folder_name = cgroups.host_folder_name()
        self._memory_is_unified = False
        self._held: list[Group] = []

    @property
    def ended_by(self) -> str:
        """How a tree is ended here."""
        if self._in.unified is not None:
            return "cgroup v2"
        return "cgroup v1 freezer" if self._in.freezer is not None else "subreaper"

    @property
    def memory_by(self) -> str:
        """How a memory limit is kept here."""
        if self._memory_is_unified:
            return "cgroup v2"
        return "cgroup v1" if self._in.memory is not None else "polling"

    async def start(self) -> None:
        """End what dead worker hosts have left, make our own folders, and say what was chosen."""
        for hierarchy in self._in.all:
            for folder in cgroups.left_over(hierarchy):
                await self._sweep(folder, freezer=hierarchy == self._in.freezer)
            cgroups.make(hierarchy / self._folder_name)
        if (unified := self._in.unified) is not None:
            self._memory_is_unified = cgroups.enable_memory(unified) and cgroups.enable_memory(unified / self._folder_name)
        logger.info("chose means for block processes", ended_by=self.ended_by, memory_by=self.memory_by)

    async def _sweep(self, folder: Path, *, freezer: bool) -> None:
        for inner in cgroups.inner(folder):
            logger.warning("ending what a dead worker host left", group=str(inner), pids=cgroups.pids(inner))
            tree = FreezerTree(inner) if freezer else UnifiedTree(inner)
            await trees.end(tree)
            with contextlib.suppress(OSError):
                tree.remove()
        cgroups.remove(folder)

    def make(self, kill_all: Callable[[], None], *, memory_bytes: int = 0) -> Group:
        """Make the group of one execution.

        Parameters
        ----------
        kill_all : callable
            Tells its reaper to end everything, where it has one.
        memory_bytes : int
            The limit; 0 for none.
        """
        held, self._held = self._held, []
        for group in held:
            self.remove(group)
        name = f"e-{secrets.token_hex(8)}"
        tree = self._make_tree(name, kill_all)
        return Group(tree, self._make_limit(name, tree, memory_bytes) if memory_bytes else None)

    def _make_tree(self, name: str, kill_all: Callable[[], None]) -> Tree:
        if (hierarchy := self._in.unified or self._in.freezer) is None:
            return ReaperTree(kill_all)
        folder = hierarchy / self._folder_name / name
        folder.mkdir()
        return UnifiedTree(folder) if self._in.unified is not None else FreezerTree(folder)

    def _make_limit(self, name: str, tree: Tree, limit_bytes: int) -> MemoryLimit:
        if self._memory_is_unified and isinstance(tree, UnifiedTree):
            return UnifiedLimit(tree.folder, limit_bytes)
        if self._in.memory is not None:
            return V1Limit(self._in.memory / self._folder_name / name, limit_bytes)
        return PolledLimit()

    def remove(self, group: Group) -> None:
        """Remove the group of an ended tree. What the kernel holds on to is tried again with the next one."""
        try:
            group.tree.remove()
            if group.memory is not None:
                group.memory.remove()
        except OSError:
            self._held.append(group)

    async def stop(self) -> None:
        """Remove our own folders; processes are gone by now."""
        for group in self._held:
            with contextlib.suppress(OSError):
                group.tree.remove()
        for hierarchy in self._in.all:
            cgroups.remove(hierarchy / self._folder_name)

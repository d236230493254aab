"""Every type of event, by name."""

from __future__ import annotations

from collections.abc import Mapping

from scistudio_platform.events.block import BlockExecuted, BlockProgressed, BlockStateChanged
from scistudio_platform.events.model import EventData
from scistudio_platform.events.project import ProjectClosed, ProjectOpened
from scistudio_platform.events.run import RunFinished, RunStarted, RunStateChanged

_DECLARED: tuple[type[EventData], ...] = (
    RunStarted,
    RunStateChanged,
    RunFinished,
    BlockStateChanged,
    BlockExecuted,
    BlockProgressed,
    ProjectOpened,
    ProjectClosed,
)


def event_types() -> Mapping[str, type[EventData]]:
    """Return the classes that ``decode`` may make, by ``TYPE``."""
    return {declared.TYPE: declared for declared in _DECLARED}

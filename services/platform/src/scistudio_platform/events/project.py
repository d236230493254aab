"""Events of projects, published by the workflow service."""

from __future__ import annotations

from typing import ClassVar

from scistudio_platform.events.model import EventData


class ProjectOpened(EventData):
    """A project was opened in this composition."""

    TYPE: ClassVar[str] = "project.opened"

    path: str
    name: str


class ProjectClosed(EventData):
    """A project was closed."""

    TYPE: ClassVar[str] = "project.closed"

"""Databases: one model set for SQLite and PostgreSQL, migrations, the outbox and the memory of seen events."""

from scistudio_platform.db.base import Base, new_metadata
from scistudio_platform.db.database import Database
from scistudio_platform.db.outbox import Outbox
from scistudio_platform.db.projects import ProjectDatabases
from scistudio_platform.db.relay import OutboxRelay
from scistudio_platform.db.seen import SeenEvents

__all__ = ["Base", "Database", "Outbox", "OutboxRelay", "ProjectDatabases", "SeenEvents", "new_metadata"]

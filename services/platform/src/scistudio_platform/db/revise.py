"""Write the next migration of a service: ``python -m scistudio_platform.db.revise MIGRATIONS MODULE:METADATA "What it does"``.

For example ``scistudio_scheduler.migrations scistudio_scheduler.adapters.tables:TableBase.metadata "Add seeds"``. Read what it writes.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter

from alembic import command
from sqlalchemy import MetaData, create_engine

from scistudio_platform.db.migrate import configuration, folder_of


def load_metadata(name: str) -> MetaData:
    """Return the object at ``module:attribute.path``."""
    module, _, path = name.partition(":")
    metadata = attrgetter(path)(import_module(module))
    assert isinstance(metadata, MetaData), f"{name} is no MetaData"
    return metadata


def revise(migrations: str, metadata: MetaData, message: str) -> None:
    """Compare the newest revision with ``metadata`` and write what is missing."""
    folder = folder_of(migrations)
    (folder / "versions").mkdir(exist_ok=True)
    with create_engine("sqlite://").begin() as connection:
        config = configuration(folder, connection, metadata)
        command.upgrade(config, "head")
        command.revision(config, message, autogenerate=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    revise(sys.argv[1], load_metadata(sys.argv[2]), sys.argv[3])

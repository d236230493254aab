"""What the models of all services share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, MetaData
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

# Named constraints can be changed by a migration; SQLite gives them no names of its own.
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC. SQLite keeps no zone, so it is put back on reading; a naive value is refused on writing."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{value!r} says no time zone")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Restore UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


JsonType = JSON().with_variant(JSONB(), "postgresql")
# SQLite numbers rows by itself only in a column declared INTEGER.
RowNumber = BigInteger().with_variant(Integer(), "sqlite")


def write_json(value: Any) -> str:
    """Return JSON text for a column. NaN and infinities become texts; NUL, which PostgreSQL has no place for, becomes U+FFFD."""
    text = to_json(value, inf_nan_mode="strings").decode()
    return to_json(_without_nul(from_json(text))).decode() if "\\u0000" in text else text


def read_json(text: str | bytes) -> Any:
    """Return what ``write_json`` wrote; integers keep all their digits."""
    return from_json(text)


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    if isinstance(value, dict):
        return {_without_nul(key): _without_nul(item) for key, item in value.items()}
    return value


def new_metadata(*, outbox: bool = False, seen_events: bool = False) -> MetaData:
    """Return the metadata of one service's tables, with the tables of the event helpers that it uses."""
    from scistudio_platform.db.tables import OUTBOX, SEEN_EVENTS

    metadata = MetaData(naming_convention=_NAMES)
    if outbox:
        OUTBOX.to_metadata(metadata)
    if seen_events:
        SEEN_EVENTS.to_metadata(metadata)
    return metadata


class Base(DeclarativeBase):
    """The base under each service's own base; ``datetime`` is aware, ``dict`` and ``list`` are JSON (JSONB on PostgreSQL).

    Several services share one process, so each has metadata of its own::

        class TableBase(Base):
            __abstract__ = True
            metadata = new_metadata(outbox=True)
    """

    __abstract__ = True
    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {  # noqa: RUF012  # SQLAlchemy's own way to declare it
        datetime: UtcDateTime(),
        dict[str, Any]: JsonType,
        list[Any]: JsonType,
        list[str]: JsonType,
        dict[str, str]: JsonType,
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if not cls.__dict__.get("__abstract__") and cls.metadata is Base.metadata:
            raise TypeError(f"{cls.__name__} needs a base with metadata of its own service, see scistudio_platform.db.Base")
        super().__init_subclass__(**kwargs)

"""The memory of a consumer that gets events at least once."""

from __future__ import annotations

from datetime import timedelta

import uuid_utils.compat
from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from scistudio_platform.clock import utc_now
from scistudio_platform.db.tables import SEEN_EVENTS
from scistudio_platform.events.streams import EVENTS

# An outbox may publish an event again for as long as the stream keeps events; what is older never comes again.
KEEP = timedelta(seconds=2 * EVENTS.max_age_s)
PRUNE_ONE_IN = 1024


class SeenEvents:
    """The ids of events that were dealt with, in the same transaction as what they led to."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def first_time(self, event_id: str) -> bool:
        """Note the event; False when it was noted before."""
        make = sqlite.insert if self._session.get_bind().dialect.name == "sqlite" else postgresql.insert
        statement = make(SEEN_EVENTS).values(id=event_id).on_conflict_do_nothing().returning(SEEN_EVENTS.c.id)
        first = (await self._session.execute(statement)).scalar() is not None
        if first and hash(event_id) % PRUNE_ONE_IN == 0:
            await self.forget_old()
        return first

    async def forget_old(self) -> None:
        """Delete ids that cannot come again. UUIDv7 begin with their time, so that they sort by age."""
        oldest_ms = int((utc_now() - KEEP).timestamp() * 1000)
        oldest = uuid_utils.compat.UUID(int=oldest_ms << 80)
        await self._session.execute(delete(SEEN_EVENTS).where(SEEN_EVENTS.c.id < str(oldest)))

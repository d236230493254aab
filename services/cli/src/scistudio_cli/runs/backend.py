"""Where a command runs: in a SciStudio that has the project open, else in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scistudio_platform.errors import SciStudioError

from scistudio_cli import places
from scistudio_cli.launcher.claim import Note, living_note
from scistudio_cli.runs.local import Local, held_by_another
from scistudio_cli.runs.model import Backend

if TYPE_CHECKING:
    from scistudio_cli.runs.remote import Remote

TRY_AGAIN_S = 0.3


def launchers() -> list[Note]:
    """Return the notes of this user's living launchers."""
    base = places.runtime_base()
    notes = [living_note(folder) for folder in base.iterdir() if folder.is_dir()] if base.is_dir() else []
    return [note for note in notes if note is not None]


async def holder_of(project: Path) -> Remote | None:
    """Return a client of the running SciStudio that has ``project`` open."""
    notes = await asyncio.to_thread(launchers)
    if not notes:
        return None
    from scistudio_cli.runs.remote import Remote  # a headless run has no use for an HTTP client

    for note in notes:
        remote = Remote(note.url, note.token)
        for known in await remote.projects():
            if known["is_open"] and Path(known["path"]) == project:
                remote.project_id = known["id"]
                return remote
        await remote.close()
    return None


@asynccontextmanager
async def backend_for(project: Path, say: Callable[[str], None]) -> AsyncIterator[Backend]:
    """Give what runs workflows of ``project``; waits, and says so, while another headless run has it."""
    waiting = False
    while True:
        if (remote := await holder_of(project)) is not None:
            say(f"Running in the SciStudio at {remote.url}, which has the project open.")
            async with remote:
                yield remote
            return
        local = Local(project)
        try:
            await local.__aenter__()
        except SciStudioError as error:
            if not held_by_another(error):
                raise
            if not waiting:
                say(f"Another run has the project open. Waiting until it is free … ({error.message})")
            waiting = True
            await asyncio.sleep(TRY_AGAIN_S)
            continue
        async with _leaving(local):
            yield local
        return


@asynccontextmanager
async def _leaving(local: Local) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await local.__aexit__(None, None, None)

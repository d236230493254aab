"""Where the parts of a worker host are made and joined."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from scistudio_platform.service import Service

from scistudio_worker import cgroups, environment
from scistudio_worker.agent import Agent
from scistudio_worker.cgroups import Hierarchies
from scistudio_worker.forker import Forker
from scistudio_worker.groups import Groups
from scistudio_worker.host import WorkerHost
from scistudio_worker.settings import WorkerSettings


def build(settings: WorkerSettings, *, environ: Mapping[str, str] = os.environ) -> Service:
    """Make and join the parts: the host, then its line to the runner.

    Parameters
    ----------
    environ : mapping
        From which block processes get what an allow-list names.
    """
    forker = Forker(environment.for_blocks(environ, also=settings.pass_environment), python=settings.python or sys.executable)
    groups = Groups(cgroups.find() if settings.process_groups else Hierarchies())
    host = WorkerHost(settings, forker, groups)
    return Service("worker", parts=[host, Agent(settings, host)])

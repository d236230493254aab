"""``python -m scistudio_scheduler``: the service as a process of its own, configured by its environment."""

from __future__ import annotations

import sys

from scistudio_platform.service import main

from scistudio_scheduler.service import build
from scistudio_scheduler.settings import SchedulerSettings

if __name__ == "__main__":
    sys.exit(main("scheduler", build, SchedulerSettings))

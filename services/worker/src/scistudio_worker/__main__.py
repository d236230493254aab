"""The worker host as a process of its own: ``python -m scistudio_worker``."""

from __future__ import annotations

import sys

from scistudio_platform.service import main

from scistudio_worker.service import build
from scistudio_worker.settings import WorkerSettings

if __name__ == "__main__":
    sys.exit(main("worker", build, WorkerSettings))

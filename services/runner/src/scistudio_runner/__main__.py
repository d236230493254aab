"""The runner as a process of its own: ``python -m scistudio_runner``."""

from __future__ import annotations

import sys

from scistudio_platform.service import main

from scistudio_runner.service import build
from scistudio_runner.settings import RunnerSettings

if __name__ == "__main__":
    sys.exit(main("runner", build, RunnerSettings))

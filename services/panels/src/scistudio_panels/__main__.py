"""``python -m scistudio_panels``: the panels service alone."""

import sys

from scistudio_platform.service import run_service

from scistudio_panels.service import build
from scistudio_panels.settings import PanelsSettings

if __name__ == "__main__":
    sys.exit(run_service("panels", build, PanelsSettings()))

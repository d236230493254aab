"""``python -m scistudio_panels``: the panels service alone."""

import sys

from scistudio_platform.service import main

from scistudio_panels.service import build
from scistudio_panels.settings import PanelsSettings

if __name__ == "__main__":
    sys.exit(main("panels", build, PanelsSettings))

"""``python -m scistudio_lineage``: the service as a process of its own, configured by its environment."""

from __future__ import annotations

import sys

from scistudio_platform.service import main

from scistudio_lineage.service import build
from scistudio_lineage.settings import LineageSettings

if __name__ == "__main__":
    sys.exit(main("lineage", build, LineageSettings))

"""``python -m scistudio_mcp``: the mcp service alone."""

import sys

from scistudio_platform.service import main

from scistudio_mcp.service import build
from scistudio_mcp.settings import McpSettings

if __name__ == "__main__":
    sys.exit(main("mcp", build, McpSettings))

"""``python -m scistudio_mcp``: the mcp service alone."""

import sys

from scistudio_platform.service import run_service

from scistudio_mcp.service import build
from scistudio_mcp.settings import McpSettings

if __name__ == "__main__":
    sys.exit(run_service("mcp", build, McpSettings()))

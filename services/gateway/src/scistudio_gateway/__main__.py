"""``python -m scistudio_gateway``: the gateway alone, configured by the environment."""

from __future__ import annotations

import sys

from scistudio_platform.service import run_service

from scistudio_gateway.service import build
from scistudio_gateway.settings import GatewaySettings

if __name__ == "__main__":
    sys.exit(run_service("gateway", build, GatewaySettings()))

"""``python -m scistudio_gateway``: the gateway alone, configured by the environment."""

from __future__ import annotations

import sys

from scistudio_platform.service import main

from scistudio_gateway.service import build
from scistudio_gateway.settings import GatewaySettings

if __name__ == "__main__":
    sys.exit(main("gateway", build, GatewaySettings))

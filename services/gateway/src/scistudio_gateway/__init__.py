"""The only door: REST, WebSocket, static page, authentication and /mcp."""

from importlib.metadata import version

__version__ = version("scistudio-gateway")

"""Fixtures for the tests of every package."""

from importlib.util import find_spec

# The SDK is tested without the platform too.
pytest_plugins = ["scistudio_platform.testing.nats", "scistudio_platform.testing.postgres"] if find_spec("scistudio_platform") else []

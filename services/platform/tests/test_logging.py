"""What our logs hold, and what they must never hold."""

from __future__ import annotations

import subprocess
import sys

import pytest

FAILS = """
from scistudio_platform.logging import configure_logging, get_logger
configure_logging("runner", log_format={log_format!r})
def connect(token):
    raise ValueError("no such host")
try:
    connect("".join(["s3cr", "et-t0ken"]))
except ValueError:
    get_logger("runner").exception("cannot connect")
"""


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_traceback_shows_no_value_of_a_variable(log_format: str) -> None:
    program = [sys.executable, "-c", FAILS.format(log_format=log_format)]
    said = subprocess.run(program, capture_output=True, text=True, check=True).stderr
    assert "no such host" in said
    assert "connect" in said
    assert "s3cret-t0ken" not in said

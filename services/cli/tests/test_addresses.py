"""Names under which a machine is reached."""

from __future__ import annotations

import socket

import pytest
from scistudio_cli.launcher.addresses import is_loopback, names_for_others


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("lab.example", False)]
)
def test_loopback_is_told_from_addresses_that_others_reach(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback


def test_only_a_listener_beyond_this_machine_has_names_for_others() -> None:
    assert names_for_others("127.0.0.1") == []
    assert names_for_others("192.0.2.7") == ["192.0.2.7"]
    assert socket.gethostname() in names_for_others("0.0.0.0")

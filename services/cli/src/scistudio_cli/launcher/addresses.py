"""Under which names this machine is reached, where ``up`` was asked to listen beyond it."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

ALL = ("0.0.0.0", "::")  # noqa: S104  # told apart, not bound


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def names_for_others(host: str) -> list[str]:
    """Return the host names that the gateway must take beside the loopback ones; empty for a loopback address.

    Asked to listen on all addresses, these are the machine's names and the addresses that they stand for.
    """
    if is_loopback(host):
        return []
    if host not in ALL:
        return [host]
    names = {socket.gethostname(), socket.getfqdn()}
    with contextlib.suppress(OSError):
        names |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)}
    return sorted(name for name in names if not is_loopback(name))

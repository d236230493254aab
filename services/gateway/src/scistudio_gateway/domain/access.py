"""Who may come in: the rules about Host, Origin and the session token."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from scistudio_gateway.errors import HostRefused, NotSignedIn, OriginRefused

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SUBPROTOCOL = "scistudio.v1"
TOKEN_SUBPROTOCOL = "scistudio.token."  # noqa: S105  # a prefix, not a token

SignedInBy = Literal["cookie", "bearer"]


_AUTHORITY = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\[\]:@/?#]+)(?::[0-9]*)?")


def host_name(authority: str) -> str:
    """Return the name in ``name:port``, in lower case; IPv6 addresses keep their brackets. Empty for what is no such pair."""
    found = _AUTHORITY.fullmatch(authority)
    return found["name"].lower() if found else ""


class AccessRules:
    """What a request must show.

    Parameters
    ----------
    session_token : SecretStr
        What people and programs show.
    instance : str
        Part of the cookie's name.
    hosts, origins : iterable of str
        Allowed beside loopback names and this server's own origin.
    """

    def __init__(self, session_token: SecretStr, *, instance: str, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._token = session_token.get_secret_value().encode()
        self._hosts = LOOPBACK | {host.lower() for host in hosts}
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self.cookie_name = f"scistudio-{instance}"
        # Not the token itself: who reads a cookie jar learns nothing that works elsewhere.
        self.cookie_value = hmac.new(self._token, f"cookie {instance}".encode(), hashlib.sha256).hexdigest()

    def check_host(self, hosts: list[str]) -> None:
        """Refuse names that are not this server's: a rebound name of an attacker resolves to loopback too."""
        if len(hosts) != 1 or host_name(hosts[0]) not in self._hosts:
            raise HostRefused

    def check_origin(self, origin: str | None, host: str, *, changes_state: bool, fetch_site: str | None) -> None:
        """Refuse what another origin's page asks for; a sandboxed one (``null``) may at most read.

        Another port of this machine is another origin: whatever listens there is not us. Browsers name the origin whenever state changes
        or a socket opens; programs name none.
        """
        if origin is None:
            if changes_state and fetch_site not in (None, "same-origin", "none"):
                raise OriginRefused
        elif origin == "null":
            if changes_state:
                raise OriginRefused
        elif not self._is_ours(origin.lower(), host.lower()):
            raise OriginRefused

    def _is_ours(self, origin: str, host: str) -> bool:
        parts = urlsplit(origin)
        return origin in self._origins or (parts.scheme in ("http", "https") and parts.netloc == host)

    def accepts_token(self, given: str) -> bool:
        """Whether ``given`` is the session token; takes the same time for every wrong one."""
        return hmac.compare_digest(given.encode(), self._token)

    def signed_in_by(self, authorization: str | None, cookies: dict[str, str], subprotocols: Iterable[str] = ()) -> SignedInBy:
        """Return how the request shows that it may come in; a wrong bearer token is not made good by a cookie."""
        scheme, _, token = (authorization or "").partition(" ")
        offered = [name.removeprefix(TOKEN_SUBPROTOCOL) for name in subprotocols if name.startswith(TOKEN_SUBPROTOCOL)]
        if scheme.lower() == "bearer":
            offered.append(token.strip())
        if offered:
            if all(self.accepts_token(one) for one in offered):
                return "bearer"
        elif hmac.compare_digest(cookies.get(self.cookie_name, "").encode(), self.cookie_value.encode()):
            return "cookie"
        raise NotSignedIn

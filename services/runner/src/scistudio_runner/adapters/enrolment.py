"""Admission of worker hosts: a one-time enrolment token is exchanged for a credential that every later runner can verify.

Both are signed with a key made from the services' token, so a runner needs no store to know them again.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from pydantic import SecretStr
from scistudio_platform.ids import new_id

from scistudio_runner.errors import HostRefused

if TYPE_CHECKING:  # joserfc brings cryptography: 0.05 s that a runner beside its host has no use for
    from joserfc.jwk import OctKey

HEADER = {"alg": "HS256"}
ENROLMENT_VALID_S = 3600


def _key(token: SecretStr) -> OctKey:
    from joserfc.jwk import OctKey

    return OctKey.import_key(hashlib.sha256(b"scistudio worker hosts\0" + token.get_secret_value().encode()).digest())


def issue_enrolment_token(token: SecretStr, *, valid_s: float = ENROLMENT_VALID_S) -> SecretStr:
    """Return a token with which one worker host can enrol; for the launcher and for operators.

    Parameters
    ----------
    token : SecretStr
        The services' token.
    valid_s : float
        For how long, in seconds.
    """
    claims: dict[str, object] = {"use": "enrolment", "jti": new_id(), "exp": int(time.time() + valid_s)}
    return SecretStr(_signed(claims, _key(token)))


def _signed(claims: dict[str, object], key: OctKey) -> str:
    from joserfc import jwt

    return jwt.encode(HEADER, claims, key)


class Admission:
    """Decides which worker hosts may connect.

    Parameters
    ----------
    token : SecretStr
        The services' token.
    """

    def __init__(self, token: SecretStr) -> None:
        self._token = token
        self._used: set[str] = set()

    def admit(self, host_id: str, *, enrolment_token: str, credential: str) -> str:
        """Return the host's credential, or raise HostRefused."""
        if credential:
            if self._claims(credential, "host").get("sub") != host_id:
                raise HostRefused("its credential was given to another host")
            return credential
        if not enrolment_token:
            raise HostRefused("it shows neither the services' token, nor an enrolment token, nor a credential")
        serial = str(self._claims(enrolment_token, "enrolment").get("jti"))
        if serial in self._used:
            raise HostRefused("its enrolment token was used before")
        self._used.add(serial)
        return self.credential_for(host_id)

    def credential_for(self, host_id: str) -> str:
        """Return what lets this host, and no other, connect again."""
        return _signed({"use": "host", "sub": host_id}, _key(self._token))

    def _claims(self, token: str, use: str) -> dict[str, object]:
        from joserfc import jwt
        from joserfc.errors import JoseError

        try:
            decoded = jwt.decode(token, _key(self._token), algorithms=["HS256"])
            jwt.JWTClaimsRegistry(use={"essential": True, "value": use}).validate(decoded.claims)
        except (JoseError, ValueError) as error:
            raise HostRefused(f"its {use} token is not valid ({error})") from None
        return dict(decoded.claims)

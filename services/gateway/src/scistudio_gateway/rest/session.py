"""Coming in: the session token is exchanged for a cookie that no script can read."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field, SecretStr

from scistudio_gateway.domain.access import AccessRules
from scistudio_gateway.errors import NotSignedIn
from scistudio_gateway.rest.representations import Form

router = APIRouter(tags=["session"])


class SignIn(Form):
    """What opens a session."""

    token: SecretStr = Field(max_length=1000, description="The session token, as in the address that `scistudio up` prints.")


def set_cookie(response: Response, request: Request, rules: AccessRules) -> None:
    """Let the browser come in from here on, until it is closed."""
    response.set_cookie(
        rules.cookie_name, rules.cookie_value, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/"
    )


@router.post("/session", status_code=204)
async def create_session(body: SignIn, request: Request, response: Response) -> None:
    """Exchange the session token for a cookie."""
    rules: AccessRules = request.app.state.rules
    if not rules.accepts_token(body.token.get_secret_value()):
        raise NotSignedIn
    set_cookie(response, request, rules)

"""The static page: files from its folder alone, deep links to its start, and a plain word where it is not built."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from scistudio_gateway.domain.access import AccessRules
from scistudio_gateway.rest.session import set_cookie
from scistudio_gateway.web.problems import answer_problems

ASSETS = "assets/"
FOREVER = "public, max-age=31536000, immutable"  # the build puts a hash of the content into these names
PLAIN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>SciStudio</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>{title}</h1><p>{text}</p></body></html>
"""
NOT_BUILT = PLAIN.format(
    title="The page is not built",
    text="SciStudio itself is running: its API answers under <code>/api/v1</code>. Run <code>make setup-page</code> (Node 20 or later) "
    "and load this page again.",
)
OLD_LINK = PLAIN.format(
    title="This link does not open SciStudio",
    text="Its token is not that of this server, perhaps since the server was started anew. Open the address that "
    "<code>scistudio up</code> printed last.",
)


class PageFiles(StaticFiles):
    """The built page. Names below ``assets/`` carry a hash and never change; any other path is one of the page's own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file; the page may be built while the gateway runs."""
        self.config_checked = True
        await super().__call__(scope, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, the page's start for its deep links, or 404."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or not _is_deep_link(path, scope):
                raise
            return await self._start(scope)
        if path.startswith(ASSETS):
            response.headers["Cache-Control"] = FOREVER
        return response

    async def _start(self, scope: Scope) -> Response:
        try:
            return await super().get_response("index.html", scope)
        except HTTPException:
            return HTMLResponse(NOT_BUILT, status_code=503)


def _is_deep_link(path: str, scope: Scope) -> bool:
    """A person's way into the page: the start, or asked for as HTML and no file's name."""
    accept = Request(scope).headers.get("accept", "")
    return path == "." or ("text/html" in accept and not path.startswith((ASSETS, ".well-known")))


class TokenLinks:
    """Exchange the token of the printed address for a cookie, and forget the address: it would stay in history and logs."""

    def __init__(self, files: PageFiles, rules: AccessRules) -> None:
        self._files, self._rules = files, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the page."""
        request = Request(scope)
        token = request.query_params.get("token")
        answer = self._files if token is None or scope["method"] != "GET" else self._exchanged(request, token)
        await answer(scope, receive, send)

    def _exchanged(self, request: Request, token: str) -> Response:
        if not self._rules.accepts_token(token):
            return HTMLResponse(OLD_LINK, status_code=401)
        kept = [(name, value) for name, value in parse_qsl(request.url.query, keep_blank_values=True) if name != "token"]
        path = "/" + quote(request.url.path.lstrip("/\\"))  # two slashes would lead to another server
        response = RedirectResponse(f"{path}?{urlencode(kept)}" if kept else path, status_code=303)
        response.headers["Cache-Control"] = "no-store"
        set_cookie(response, request, self._rules)
        return response


def page_app(folder: Path, rules: AccessRules) -> Starlette:
    """Return the application of the page, for every path that is not the API's."""
    app = Starlette(routes=[Mount("/", TokenLinks(PageFiles(folder), rules))])
    answer_problems(app)
    return app

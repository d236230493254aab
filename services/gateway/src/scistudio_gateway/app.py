"""The application: the API, events, `/mcp` and the page behind one door."""

from __future__ import annotations

from fastapi import FastAPI
from scistudio_platform.events.bus import EventBus

from scistudio_gateway.adapters.backends import Backends
from scistudio_gateway.domain.access import AccessRules
from scistudio_gateway.rest import events
from scistudio_gateway.rest.router import API, make_api
from scistudio_gateway.rest.streams import OpenStreams
from scistudio_gateway.settings import GatewaySettings
from scistudio_gateway.web.mcp import McpUpstream, pass_mcp_on
from scistudio_gateway.web.middleware import Door, Observation, PageBeside, SafeHeaders
from scistudio_gateway.web.page import page_app
from scistudio_gateway.web.problems import answer_problems


def access_rules(settings: GatewaySettings) -> AccessRules:
    """Return the rules of the door. The address that we listen on by name is one of ours."""
    wildcards = ("", "0.0.0.0", "::")  # noqa: S104  # compared with, not bound to
    own = [] if settings.host in wildcards else [f"[{settings.host}]" if ":" in settings.host else settings.host]
    return AccessRules(
        settings.session_token, instance=settings.instance, hosts=[*settings.allowed_hosts, *own], origins=settings.allowed_origins
    )


def create_app(settings: GatewaySettings, *, backends: Backends, bus: EventBus, mcp: McpUpstream, streams: OpenStreams) -> FastAPI:
    """Return the whole application over parts that start with the service."""
    app = make_api()
    rules = access_rules(settings)
    app.state.settings, app.state.rules, app.state.backends = settings, rules, backends
    app.state.bus, app.state.streams = bus, streams
    app.include_router(events.router, prefix=API)
    pass_mcp_on(app, mcp)
    answer_problems(app)
    app.add_middleware(PageBeside, page=page_app(settings.page_folder, rules))
    app.add_middleware(Door, rules=rules, max_body_bytes=settings.max_body_bytes)  # the last one added is the outermost
    app.add_middleware(SafeHeaders)
    app.add_middleware(Observation)
    return app

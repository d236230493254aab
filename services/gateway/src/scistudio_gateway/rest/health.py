"""Whether the system serves."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response

import scistudio_gateway
from scistudio_gateway.adapters.backends import ServiceState
from scistudio_gateway.rest.representations import Representation, Services

router = APIRouter(tags=["health"])


class Health(Representation):
    """The state of all services. Degraded: at least one is down."""

    status: Literal["ok", "degraded"]
    version: str
    services: dict[str, ServiceState]


@router.get("/health", responses={503: {"model": Health, "description": "At least one service is down."}})
async def get_health(request: Request, response: Response, services: Services) -> Health:
    """Ask every service. 200 only when all of them serve. Needs no token: it holds no data."""
    others = await services.health(request.app.state.settings.health_timeout_s)
    bus: ServiceState = "serving" if request.app.state.bus.is_connected else "down"
    states: dict[str, ServiceState] = {"gateway": "serving", **others, "nats": bus}
    all_serve = set(states.values()) == {"serving"}
    response.status_code = 200 if all_serve else 503
    return Health(status="ok" if all_serve else "degraded", version=scistudio_gateway.__version__, services=states)

"""Lineage, put together."""

from __future__ import annotations

from scistudio_platform.db import ProjectDatabases
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.consumer import DurableConsumer
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_proto.lineage.v1.lineage_pb2_grpc import add_LineageServiceServicer_to_server

from scistudio_lineage.adapters.projects import Projects
from scistudio_lineage.app.queries import Queries
from scistudio_lineage.app.recorder import Recorder
from scistudio_lineage.rpc import LineageRpc
from scistudio_lineage.settings import LineageSettings

MIGRATIONS = "scistudio_lineage.migrations"


def build(settings: LineageSettings) -> Service:
    """Make and join the parts. Nothing connects, listens or touches an event loop before ``Service.start``."""
    bus = EventBus(settings, required=False)  # what was recorded is answered without it
    databases = ProjectDatabases(settings, service="lineage", migrations=MIGRATIONS)
    projects = Projects(settings, databases)
    consumer = DurableConsumer(bus, "lineage", ["run", "block"], Recorder(projects).handle)
    rpc = LineageRpc(Queries(projects, trace_limit=settings.trace_limit))
    server = GrpcServer(settings, {add_LineageServiceServicer_to_server: rpc}, name="lineage")
    return Service("lineage", [bus, databases, projects, consumer, server])

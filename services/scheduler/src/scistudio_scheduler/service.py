"""The scheduler, put together."""

from __future__ import annotations

from scistudio_platform.db import OutboxRelay, ProjectDatabases
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.consumer import DurableConsumer
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import BackgroundTasks, Service
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import add_SchedulerServiceServicer_to_server

from scistudio_scheduler.adapters.runner import RunnerClient
from scistudio_scheduler.adapters.stores import Stores
from scistudio_scheduler.adapters.workflow import WorkflowClient
from scistudio_scheduler.app.driver import Shared
from scistudio_scheduler.app.drivers import Drivers
from scistudio_scheduler.app.resumption import Resumption
from scistudio_scheduler.app.scheduling import Scheduling
from scistudio_scheduler.app.slots import Slots
from scistudio_scheduler.rpc import SchedulerRpc
from scistudio_scheduler.settings import SchedulerSettings

MIGRATIONS = "scistudio_scheduler.migrations"


def build(settings: SchedulerSettings, *, runner: RunnerClient | None = None, workflow: WorkflowClient | None = None) -> Service:
    """Make and join the parts. Nothing connects, listens or touches an event loop before ``Service.start``."""
    runner = runner or RunnerClient(settings)
    workflow = workflow or WorkflowClient(settings, plan_timeout_s=settings.plan_timeout_s)
    tasks = BackgroundTasks("scheduler")
    bus = EventBus(settings, required=False)  # runs go on without the bus; their events wait in the outbox
    relay = OutboxRelay(bus, lambda: databases.opened())
    databases = ProjectDatabases(settings, service="scheduler", migrations=MIGRATIONS, durable=True, on_open=relay.attach)
    stores = Stores(databases, workflow)
    drivers = Drivers(Shared(settings, runner, Slots(settings.max_dispatches), tasks))
    resumption = Resumption(workflow, stores, drivers)
    projects = DurableConsumer(bus, "scheduler", ["project"], resumption.handle)
    scheduling = Scheduling(workflow, stores, drivers, tasks)
    server = GrpcServer(settings, {add_SchedulerServiceServicer_to_server: SchedulerRpc(scheduling)}, name="scheduler")
    return Service("scheduler", [bus, databases, relay, runner, workflow, tasks, drivers, resumption, projects, server])

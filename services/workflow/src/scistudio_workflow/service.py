"""Where the parts of the workflow service are made and joined."""

from __future__ import annotations

from scistudio_platform.db import Database
from scistudio_platform.events.bus import EventBus
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_proto.workflow.v1.workflow_pb2_grpc import add_WorkflowServiceServicer_to_server

from scistudio_workflow.adapters.announcements import Announcements
from scistudio_workflow.adapters.known_projects import KnownProjects
from scistudio_workflow.adapters.runner import RunnerProbes
from scistudio_workflow.app.catalogs import Catalogs
from scistudio_workflow.app.plans import Plans
from scistudio_workflow.app.projects import Projects
from scistudio_workflow.app.workflows import Workflows
from scistudio_workflow.rpc import WorkflowRpc
from scistudio_workflow.settings import WorkflowSettings

NAME = "workflow"


def build(settings: WorkflowSettings) -> Service:
    """Make and join the parts. Nothing connects, listens or touches an event loop before ``Service.start``."""
    database = Database(
        settings.database_url or settings.state_dir / "workflow.db", schema=NAME, migrations="scistudio_workflow.migrations"
    )
    bus = EventBus(settings, required=False)  # nothing here waits for it
    announcements = Announcements(bus)
    runner = RunnerProbes(settings)
    catalogs = Catalogs(runner.probe, settings.library_dir)
    projects = Projects(KnownProjects(database), announcements, url=settings.url, composition=str(settings.run_dir))
    plans = Plans(projects, catalogs, git_timeout_s=settings.git_timeout_s)
    rpc = WorkflowRpc(projects, Workflows(projects, catalogs), catalogs, plans)
    server = GrpcServer(settings, {add_WorkflowServiceServicer_to_server: rpc}, name=NAME)
    return Service(NAME, parts=[database, bus, announcements, runner, catalogs, projects, server])

"""From what a client names (an item on a port, or a reference) to an object of the SDK whose data may be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistudio_platform.rpc import RpcClient
from scistudio_proto.panels.v1 import panels_pb2 as pb
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

from scistudio_panels.errors import BadReference, NoSuchItem, OutsideProject
from scistudio_panels.settings import PanelsSettings

if TYPE_CHECKING:
    from scistudio.core.types import DataObject
    from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceAsyncStub
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub


class Sources:
    """Finds what a read is about. A part.

    An item of a run is trusted to lie where its block said, since a file may be used in place outside the project;
    a reference that a client hands in must lie in the project.
    """

    def __init__(self, settings: PanelsSettings) -> None:
        timeout_s = settings.call_timeout_s
        self._workflow: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub, timeout_s=timeout_s)
        self._scheduler: RpcClient[SchedulerServiceAsyncStub] = RpcClient(settings, "scheduler", SchedulerServiceStub, timeout_s=timeout_s)

    async def start(self) -> None:
        """Make the channels."""
        await self._workflow.start()
        await self._scheduler.start()

    async def stop(self) -> None:
        """Close the channels."""
        await self._scheduler.stop()
        await self._workflow.stop()

    async def find(self, request: pb.ReadRequest) -> DataObject:
        """Return the object that ``request`` is about; nothing of its data is read."""
        match request.WhichOneof("source"):
            case "output":
                return rebuild(await self._item(request.project_id, request.output))
            case "reference_json":
                wire = decode(request.reference_json)
                check_confined(wire, await self._project_dir(request.project_id))
                return rebuild(wire)
            case _:
                raise BadReference("The read names no data.", hint="Name an item on an output port, or hand in a reference.")

    async def _item(self, project_id: str, item: pb.OutputItem) -> Any:
        request = scheduler.GetOutputRequest(project_id=project_id, run_id=item.run_id, node_id=item.node_id, port=item.port)
        value = json.loads((await self._scheduler.stub.GetOutput(request)).value.value_json)
        items = value["items"] if isinstance(value, dict) and value.get("_collection") else [value]
        if not 0 <= item.index < len(items):
            raise NoSuchItem(item.port, item.index, len(items))
        return items[item.index]

    async def _project_dir(self, project_id: str) -> Path:
        answer = await self._workflow.stub.GetProject(workflow.GetProjectRequest(project_id=project_id))
        return Path(answer.project.path)


def decode(reference_json: str) -> dict[str, Any]:
    """Return a reference that a client sent, or say what is wrong with it."""
    try:
        wire = json.loads(reference_json)
    except ValueError as error:
        raise BadReference(f"The reference is not JSON: {error}") from error
    if not isinstance(wire, dict) or not isinstance(wire.get("metadata"), dict):
        raise BadReference("The reference is not in the wire format.", hint="Use a reference as get_block_output gives it.")
    return wire


def paths_of(wire: Any) -> list[str]:
    """Return every path that a wire object names, those of composite slots too."""
    if not isinstance(wire, dict):
        return []
    metadata = wire.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    slots = metadata.get("slots")
    own = [path for path in (wire.get("path"), metadata.get("file_path")) if path is not None]
    return own + [path for slot in (slots.values() if isinstance(slots, dict) else ()) for path in paths_of(slot)]


def check_confined(wire: dict[str, Any], project_dir: Path) -> None:
    """Refuse a reference that leaves the project, through ``..``, a link or an address."""
    root = project_dir.resolve()
    for path in paths_of(wire):
        if not isinstance(path, str) or "\0" in path or "://" in path or not (root / path).resolve().is_relative_to(root):
            raise OutsideProject(str(path)[:200])


def rebuild(wire: Any) -> DataObject:
    """Return the SDK's object for a wire object; a type of an unknown package becomes its nearest known ancestor."""
    from scistudio.core.types import DataObject  # at the first read only: an idle service stays small
    from scistudio.core.types.serialization import reconstruct_value

    try:
        found = reconstruct_value(wire)
    except (ValueError, KeyError, TypeError) as error:
        raise BadReference(f"The reference cannot be understood: {error}") from error
    if not isinstance(found, DataObject):
        raise BadReference("The reference names no single object.", hint="Read one item of the collection.")
    return found

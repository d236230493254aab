"""A worker host in a process of its own that a test kills: ``doomed_host.py PROJECT CONFIG_JSON``."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_worker import cgroups, environment
from scistudio_worker.forker import Forker
from scistudio_worker.groups import Groups
from scistudio_worker.host import WorkerHost
from scistudio_worker.settings import WorkerSettings


async def main() -> None:
    host = WorkerHost(WorkerSettings(), Forker(environment.for_blocks(os.environ)), Groups(cgroups.find()))
    await host.start()
    block = pb.BlockReference(class_name="LeavesDaemons", file_path=str(Path(__file__).with_name("misbehaving_blocks.py")))
    host.execute(pb.Execution(execution_id="x1", node_id="n1", project_dir=sys.argv[1], config_json=sys.argv[2], block=block))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())

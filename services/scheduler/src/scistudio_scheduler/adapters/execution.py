"""What the runner is told about one execution: the only place that builds it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from scistudio_platform.ids import NodeId
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_scheduler.domain.plan import Block, Plan
from scistudio_scheduler.domain.run import Run

SEGMENT_LIMIT_BYTES = 100
_PLAIN = re.compile(r"[\w@+=,-][\w@+=,. -]*", re.ASCII)


def to_execution(run: Run, node: NodeId) -> pb.Execution:
    """Return the execution of ``node`` as it stands in ``run``."""
    planned, record, plan = run.plan.by_id[node], run.nodes[node], run.plan
    return pb.Execution(
        execution_id=record.execution_id,
        project_id=plan.project_id,
        run_id=run.id,
        node_id=node,
        workflow_id=plan.workflow_id,
        project_dir=plan.project_dir,
        block=_to_reference(planned.block),
        config_json=_with_ids(planned.config_json, run, node),
        inputs=[PortValue(port=port, value_json=value) for port, value in run.input_values(node).items()],
        output_dir=str(output_dir(plan, node)),
        limits=_to_limits(planned.block),
        start_method=planned.block.start_method,
        seed=record.seed,
        trace_context=plan.trace_context,
    )


def output_dir(plan: Plan, node: NodeId) -> Path:
    """Return the folder for the outputs of ``node``, the same in every run of the workflow."""
    return Path(plan.project_dir) / "data" / "zarr" / segment(plan.workflow_id) / segment(node)


def segment(name: str) -> str:
    """Return ``name`` as one folder name: itself where it can be one, else a readable beginning and a digest."""
    if _PLAIN.fullmatch(name) and len(name.encode()) <= SEGMENT_LIMIT_BYTES and not name.endswith((".", " ")):
        return name
    beginning = re.sub(r"[^\w@-]+", "_", name, flags=re.ASCII)[:60]
    return f"{beginning}~{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}"


def _with_ids(config_json: str, run: Run, node: NodeId) -> str:
    """Add what the block may ask its configuration for. The stdlib's JSON, since it keeps integers of any length."""
    config = json.loads(config_json)
    config |= {"block_id": node, "workflow_id": run.plan.workflow_id, "project_dir": run.plan.project_dir, "run_id": run.id}
    return json.dumps(config, ensure_ascii=False)


def _to_reference(block: Block) -> pb.BlockReference:
    return pb.BlockReference(
        module=block.module,
        class_name=block.class_name,
        file_path=block.file_path,
        import_roots=block.import_roots,
        type_name=block.type_name,
    )


def _to_limits(block: Block) -> pb.Limits:
    return pb.Limits(
        cpu_cores=block.cpu_cores,
        memory_gb=block.memory_gb,
        cpu_time_s=block.cpu_time_s,
        wall_time_s=block.wall_time_s,
        terminate_grace_s=block.terminate_grace_s,
    )

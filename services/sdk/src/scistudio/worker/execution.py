"""One execution of one block, from the request to the answer."""

from __future__ import annotations

import contextlib
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scistudio.blocks.base import execution
from scistudio.blocks.base.block import Block
from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.exceptions import BlockCancelledByAppError, ExecutionCancelled
from scistudio.blocks.base.interactive import InteractiveMixin, as_prompt
from scistudio.blocks.base.items import display_name
from scistudio.blocks.registry.schema import _merge_config_schema, fill_defaults, missing_fields
from scistudio.core.storage import flush_context
from scistudio.core.types.collection import Collection
from scistudio.core.types.serialization import reconstruct_value
from scistudio.worker import environment, lazy_types, loading, outputs, surroundings
from scistudio.worker.failures import WorkerError
from scistudio.worker.host import Host

WIRE_VERSION = 1
CANCELLED = {"type": "result", "final_state": "cancelled"}


class Execution:
    """Runs the block of one request; ``stage`` says how far it came."""

    def __init__(self, request: Mapping[str, Any], host: Host) -> None:
        self._request, self._host = request, host
        self.stage = "import"
        self._timings: dict[str, float] = {}

    def answer(self) -> dict[str, Any]:
        """Run, and return the ``result`` message.

        A block that ends itself because it was told to (or because the application was closed) is cancelled; anything
        else that it raises passes.
        """
        try:
            with surroundings.Warnings() as noted, surroundings.stoppable():
                made = self._run()
        except (ExecutionCancelled, BlockCancelledByAppError):
            return CANCELLED
        if self._host.block_knows:
            return CANCELLED
        return {"type": "result", "wire_version": WIRE_VERSION, **made, "timings": self._timings, **_usage(), "warnings": noted.texts}

    def tidy(self) -> None:
        """Delete the scratch folder, if the block used it."""
        scratch = execution.current().scratch
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)

    def _run(self) -> dict[str, Any]:
        surroundings.enter(self._request)
        self._enter_context()
        with self._timed("import_s", "import"):
            block_class = loading.block_class(self._request)
        surroundings.seed(self._seed)
        with self._timed("load_s", "inputs"):
            inputs = {port: _rebuilt(port, wire) for port, wire in (self._request.get("inputs") or {}).items()}
        block = self._create(block_class)
        self.stage = "validate"
        block.validate(inputs)
        described = {"environment": environment.describe(block_class, block_class.key_dependencies)}
        if self._request.get("phase") == "prompt":
            return {**self._prompt(block, inputs), **described}
        with self._timed("run_s", "run"):
            made = block.postprocess(block.run(inputs, block.config))
        with self._timed("save_s", "outputs"):
            return {"outputs": outputs.stored(outputs.checked(block, made)), **described}

    @property
    def _seed(self) -> int:
        return int(self._request.get("seed") or 0)

    def _enter_context(self) -> None:
        """Say where outputs go, what types there are, and what the block may ask about its execution."""
        project = self._request.get("project_dir")
        output_dir = (self._request.get("config") or {}).get("output_dir") or self._request.get("output_dir")
        if output_dir:
            Path(output_dir).mkdir(parents=True, exist_ok=True)
            flush_context.set_output_dir(str(output_dir))
        lazy_types.install(Path(project) if project else None)
        execution_id = str(self._request.get("execution_id") or "")
        execution.enter(
            execution.ExecutionContext(
                execution_id=execution_id,
                seed=self._seed,
                scratch=Path(project) / ".scistudio" / "tmp" / execution_id if project and execution_id else None,
                report=self._host.report,
                is_cancelled=self._host.is_cancelled,
            )
        )

    def _create(self, block_class: type[Block]) -> Block:
        """Build the block with its configuration: what is missing is an error, what has a default is filled in."""
        self.stage = "create"
        given = dict(self._request.get("config") or {})
        schema = _merge_config_schema(block_class)
        node = str(self._request.get("node_id") or "")
        missing = missing_fields(given, schema)
        if missing:
            raise WorkerError(
                "block.config_missing",
                f"Block '{node}' config is missing required field(s): {', '.join(missing)}",
                hint="Set them on the block.",
            )
        known = {
            "block_id": node,
            **{key: self._request[key] for key in ("workflow_id", "run_id", "project_dir") if self._request.get(key)},
        }
        config = {**fill_defaults(given, schema), **known}
        block = block_class(config)
        if not isinstance(getattr(block, "config", None), BlockConfig):
            block.config = BlockConfig(**config)
        return block

    def _prompt(self, block: Block, inputs: dict[str, Any]) -> dict[str, Any]:
        """Ask an interactive block what its panel shows."""
        self.stage = "run"
        if not isinstance(block, InteractiveMixin):
            raise WorkerError("block.not_interactive", f"{type(block).__name__} asks nothing: it is not interactive.")
        prompt = as_prompt(block.prepare_prompt(inputs, block.config))
        kept = [{"backend": ref.backend, "path": ref.path, "format": ref.format, "metadata": ref.metadata} for ref in prompt.intermediate]
        signature = {port: _labels(value) for port, value in inputs.items() if isinstance(value, Collection)}
        return {"phase": "prompt", "panel_payload": prompt.panel_payload, "intermediate": kept, "input_signature": signature}

    @contextlib.contextmanager
    def _timed(self, name: str, stage: str) -> Iterator[None]:
        self.stage = stage
        started = time.perf_counter()
        try:
            yield
        finally:
            self._timings[name] = round(time.perf_counter() - started, 6)


def _rebuilt(port: str, wire: Any) -> Any:
    try:
        return reconstruct_value(wire)
    except ValueError as error:
        raise WorkerError("block.invalid_input", f"Input port '{port}': {error}", port=port) from error


def _labels(collection: Collection) -> list[str]:
    return [display_name(item) or f"item_{index}" for index, item in enumerate(collection)]


def _usage() -> dict[str, Any]:
    """Return the most memory that this process or one of its own held, and their processor time."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    unit: Callable[[int], int] = lambda kib: kib * 1024  # noqa: E731 - Linux counts in KiB
    return {
        "peak_memory_bytes": unit(max(own.ru_maxrss, children.ru_maxrss)),
        "cpu_time_s": round(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, 6),
    }

"""What a block asks of the machine before it is started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """Needs and limits of one execution of a block, declared as ``Block.resource_request``.

    Parameters
    ----------
    requires_gpu, gpu_memory_gb
        A GPU, and how much of its memory.
    cpu_cores, max_internal_workers
        Cores that one worker of the block uses, and how many workers (processes or threads) it starts itself.
    memory_gb, cpu_time_s, wall_time_s
        Limits beyond which the execution is ended with an error; ``None`` sets none.
    """

    requires_gpu: bool = False
    gpu_memory_gb: float = 0.0
    cpu_cores: int = 1
    max_internal_workers: int = 1
    memory_gb: float | None = None
    cpu_time_s: float | None = None
    wall_time_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("cpu_cores", "max_internal_workers"):
            if getattr(self, name) < 1:
                raise ValueError(f"ResourceRequest.{name} must be at least 1, got {getattr(self, name)}.")
        for name in ("memory_gb", "cpu_time_s", "wall_time_s"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"ResourceRequest.{name} must be positive or None, got {value}.")

    @property
    def effective_cpu(self) -> int:
        """Cores that the execution may keep busy at once."""
        return self.cpu_cores * self.max_internal_workers

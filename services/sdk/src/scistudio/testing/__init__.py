"""Trying blocks out in tests: their declarations, a run in this process, a run in a real worker."""

from scistudio.testing.harness import BlockTestHarness
from scistudio.testing.isolated import BlockFailedError, WorkerRun, run_in_worker

__all__ = ["BlockFailedError", "BlockTestHarness", "WorkerRun", "run_in_worker"]

"""Exceptions with a meaning for the engine."""

from __future__ import annotations


class BlockCancelledByAppError(Exception):
    """Raised from ``run`` when the person closed the application: the block ends CANCELLED, not ERROR."""


class ExecutionCancelled(BaseException):
    """Unwinds a running block that was told to stop, so that its ``finally`` clauses run.

    Not an ``Exception``: a block that catches those must still stop.
    """

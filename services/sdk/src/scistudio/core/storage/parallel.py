"""Threads for storage work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_BYTES_PER_THREAD = 8 * 1024**2
_MOST = 4


def n_threads(size_bytes: int) -> int:
    """Return a number of threads: one for what is done sooner than threads start, at most four and the cores we may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MOST, cores, size_bytes // _BYTES_PER_THREAD))


def for_each(action: Callable[[tuple[int, ...]], Any], indices: Iterable[tuple[int, ...]], size_bytes: int) -> None:
    """Run ``action`` for each index, in threads where ``size_bytes`` make it worth while. What one raises is raised."""
    threads = n_threads(size_bytes)
    if threads == 1:
        for index in indices:
            action(index)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _done in pool.map(action, indices):
            pass

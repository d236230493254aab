"""Applying a function to items in a pool of processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from scistudio.blocks.base.items import naming_item
from scistudio.core.storage.persistence import flush


def map_in_processes(func: Callable[[Any], Any], items: list[Any], max_workers: int) -> list[Any]:
    """Return ``func`` of each item, in order; the results are written by the processes that computed them.

    The pool is forked, so that functions of a drop-in file, which has no importable module, are found in it.
    """
    if max_workers < 1:
        raise ValueError(f"max_workers must be at least 1, got {max_workers}.")
    if not items:
        return []
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(max_workers, len(items)), mp_context=context) as pool:
        futures = [pool.submit(_apply, func, item) for item in items]
        results = []
        for index, (item, future) in enumerate(zip(items, futures, strict=True)):
            with naming_item(index, len(items), item):
                results.append(future.result())
    return results


def _apply(func: Callable[[Any], Any], item: Any) -> Any:
    return flush(func(item))

"""Going through a Collection item by item, with errors that name the item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from scistudio.core.types.collection import Collection


def display_name(item: Any) -> str:
    """Return the name by which a person knows ``item``: given, else of its source file; empty when it has none."""
    user, framework, meta = (getattr(item, name, None) for name in ("user", "framework", "meta"))
    if isinstance(user, dict) and user.get("display_name"):
        return str(user["display_name"])
    if getattr(item, "name", None):
        return str(item.name)
    for path in (getattr(meta, "source_file", None), getattr(item, "file_path", None)):
        if path:
            return PurePath(str(path)).name
    source = str(getattr(framework, "source", "") or "")
    return PurePath(source.replace("\\", "/")).name if "/" in source or "\\" in source else ""


@contextmanager
def naming_item(index: int, n_items: int, item: Any) -> Iterator[None]:
    """Add to any exception which item it was about."""
    try:
        yield
    except Exception as error:
        name = display_name(item) or str(getattr(getattr(item, "framework", None), "source", ""))
        position = f"item {index + 1} of {n_items}" if n_items > 1 else ""
        if position or name:
            error.add_note(": ".join(part for part in (position, name) if part))
        raise


def common_type(items: Sequence[Any], default: type) -> type:
    """Return the nearest class that all ``items`` are instances of; ``default`` when there are none."""
    if not items:
        return default
    first, *rest = dict.fromkeys(type(item) for item in items)
    return next(base for base in first.__mro__ if all(issubclass(kind, base) for kind in rest))


def collect(items: list[Any], default: type) -> Collection:
    """Wrap ``items``, typed by what they have in common; by ``default`` when there are none."""
    return Collection(items, item_type=common_type(items, default))

"""SciStudio's SDK: typed data, blocks, storage and the code inside a worker."""

from __future__ import annotations

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """``__version__``, read from the installed distribution when asked for: the metadata reader costs more than the rest of this import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    value = version("scistudio")
    globals()[name] = value
    return value

"""Which backend stores what."""

from __future__ import annotations

from functools import cache
from typing import Any

from scistudio.core.storage.base import StorageBackend
from scistudio.core.storage.errors import StorageReferenceInvalidError
from scistudio.core.storage.ref import StorageReference

__all__ = ["BackendRouter", "get_router"]


class BackendRouter:
    """Backends by name, and the backend and file suffix of each data type."""

    def __init__(self) -> None:
        self._backends: dict[str, StorageBackend] = {}
        self._routes: dict[type, tuple[str, str]] = {}

    def register_backend(self, name: str, backend: StorageBackend) -> None:
        """Make a backend known under the name that references carry."""
        self._backends[name] = backend

    def register_type(self, data_type: type, backend: str, suffix: str) -> None:
        """Store ``data_type`` and its subclasses in ``backend``, in files or folders that end in ``suffix``."""
        self._routes[data_type] = (backend, suffix)

    def name_for(self, data_type: type) -> str:
        """Return the name of the backend of a type.

        Raises
        ------
        KeyError
            If neither the type nor an ancestor of it has one.
        """
        return self._route(data_type)[0]

    def suffix_for(self, data_type: type) -> str:
        """Return the suffix of stored objects of a type."""
        return self._route(data_type)[1]

    def backend_for(self, data_type: type) -> StorageBackend:
        """Return the backend of a type."""
        return self._backends[self.name_for(data_type)]

    def get(self, name: str) -> StorageBackend:
        """Return a backend by name."""
        try:
            return self._backends[name]
        except KeyError:
            raise KeyError(f"Unknown backend {name!r}. Known: {', '.join(self._backends)}.") from None

    def backend(self, ref: StorageReference) -> StorageBackend:
        """Return the backend of a reference.

        Raises
        ------
        StorageReferenceInvalidError
            If there is no such backend.
        """
        if ref.backend not in self._backends:
            raise StorageReferenceInvalidError(
                ref, reason="unknown_backend", operation="read", detail=f"known: {', '.join(self._backends)}"
            )
        return self._backends[ref.backend]

    def _route(self, data_type: type) -> tuple[str, str]:
        for ancestor in data_type.__mro__:
            if ancestor in self._routes:
                return self._routes[ancestor]
        raise KeyError(f"No storage backend is registered for {data_type.__name__}.")


@cache
def get_router() -> BackendRouter:
    """Return the router of this process, with the core types and backends."""
    from scistudio.core import types
    from scistudio.core.storage.arrow_backend import ArrowBackend
    from scistudio.core.storage.composite_store import CompositeStore
    from scistudio.core.storage.filesystem import FilesystemBackend
    from scistudio.core.storage.zarr_backend import ZarrBackend

    router = BackendRouter()
    backends: dict[str, Any] = {
        "zarr": ZarrBackend(),
        "arrow": ArrowBackend(),
        "filesystem": FilesystemBackend(),
        "composite": CompositeStore(),
    }
    for name, backend in backends.items():
        router.register_backend(name, backend)
    router.register_type(types.Array, "zarr", ".zarr")
    router.register_type(types.Series, "arrow", ".parquet")
    router.register_type(types.DataFrame, "arrow", ".parquet")
    router.register_type(types.Text, "filesystem", ".txt")
    router.register_type(types.Artifact, "filesystem", "")
    router.register_type(types.CompositeData, "composite", "")
    return router

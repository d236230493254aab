"""Errors of reading what a reference points to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from scistudio.core.storage.ref import StorageReference

__all__ = ["StorageMissingError", "StorageReferenceInvalidError", "reading"]


class StorageReferenceInvalidError(RuntimeError):
    """A reference cannot be read: wrong backend or format, damaged, or not what it says.

    Parameters
    ----------
    ref
        The reference.
    reason
        One word for programs: ``missing``, ``damaged``, ``unreadable``, ``unsupported_scheme``.
    operation
        What was tried: ``read``, ``slice``, ``iter_chunks``, ``get_metadata``.
    detail
        What the library below said.
    """

    error_kind: ClassVar[str] = "storage_reference_invalid"
    code: ClassVar[str] = "storage.reference_invalid"
    hint: ClassVar[str] = "Run the block that made this object again; if the file was moved or edited by hand, put it back."

    def __init__(self, ref: StorageReference, *, reason: str, operation: str, detail: str | None = None) -> None:
        super().__init__(
            f"Cannot {operation} {ref.backend} data at {ref.path!r}: {reason.replace('_', ' ')}{f' ({detail})' if detail else ''}."
        )
        self.ref, self.reason, self.operation, self.detail = ref, reason, operation, detail

    def to_payload(self, block_id: str | None = None, port_name: str | None = None, upstream_block: str | None = None) -> dict[str, Any]:
        """Return the error as JSON, with the place in the workflow where it was met."""
        return {
            "error": str(self),
            "error_kind": self.error_kind,
            "code": self.code,
            "hint": self.hint,
            "reason": self.reason,
            "operation": self.operation,
            "detail": self.detail,
            "reference": {"backend": self.ref.backend, "path": self.ref.path, "format": self.ref.format},
            "block_id": block_id,
            "port_name": port_name,
            "upstream_block": upstream_block,
        }


class StorageMissingError(StorageReferenceInvalidError):
    """Nothing is stored where the reference points."""

    error_kind: ClassVar[str] = "storage_missing"
    code: ClassVar[str] = "storage.missing"
    hint: ClassVar[str] = "The stored data was deleted or moved: run the block that made it again."

    def __init__(self, ref: StorageReference, *, operation: str, detail: str | None = None, reason: str = "missing") -> None:
        super().__init__(ref, reason=reason, operation=operation, detail=detail)


@contextmanager
def reading(ref: StorageReference, operation: str, *damage: type[Exception]) -> Iterator[None]:
    """Turn the errors of files, and those that mean damage to the library below, into errors of the reference."""
    try:
        yield
    except StorageReferenceInvalidError:
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageMissingError(ref, operation=operation) from error
    except damage as error:
        raise StorageReferenceInvalidError(ref, reason="damaged", operation=operation, detail=str(error)) from error
    except OSError as error:
        raise StorageReferenceInvalidError(ref, reason="unreadable", operation=operation, detail=str(error)) from error

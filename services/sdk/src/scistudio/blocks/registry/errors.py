"""Why a block is not in the registry, or a capability not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class BlockRegistrationError(Exception):
    """A block class that cannot be offered; the message says why."""


class CapabilityRegistrationError(BlockRegistrationError):
    """A block whose declared formats contradict themselves or another block's."""


class CapabilityLookupError(LookupError):
    """No single capability fits; the attributes repeat what was asked, and the candidates' ids."""

    def __init__(
        self,
        message: str,
        *,
        direction: str = "",
        data_type: type | None = None,
        extension: str | None = None,
        format_id: str | None = None,
        capability_id: str | None = None,
        candidates: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.direction, self.data_type, self.extension = direction, data_type, extension
        self.format_id, self.capability_id, self.candidates = format_id, capability_id, tuple(candidates)


class MissingCapabilityError(CapabilityLookupError):
    """Nothing that is installed does this."""


class AmbiguousCapabilityError(CapabilityLookupError):
    """Several do it equally well; one of ``candidates`` must be named."""


@dataclass(frozen=True)
class DropinFailure:
    """A file of blocks, or a package's entry point, that could not be loaded."""

    file_path: str
    error_type: str
    message: str

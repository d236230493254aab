"""Finding blocks, and the formats that they read and write."""

from scistudio.blocks.registry.errors import (
    AmbiguousCapabilityError,
    BlockRegistrationError,
    CapabilityLookupError,
    CapabilityRegistrationError,
    DropinFailure,
    MissingCapabilityError,
)
from scistudio.blocks.registry.registry import BlockRegistry
from scistudio.blocks.registry.schema import _merge_config_schema
from scistudio.blocks.registry.spec import BlockSpec

__all__ = [
    "AmbiguousCapabilityError",
    "BlockRegistrationError",
    "BlockRegistry",
    "BlockSpec",
    "CapabilityLookupError",
    "CapabilityRegistrationError",
    "DropinFailure",
    "MissingCapabilityError",
    "_merge_config_schema",
]

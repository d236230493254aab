"""What the author of a loader or saver imports."""

from scistudio.blocks.io.capabilities import (
    CapabilityDirection,
    CapabilityValidationError,
    FormatCapability,
    InvalidExtensionError,
    InvalidFormatCapabilityError,
    InvalidMetadataFidelityError,
    MetadataFidelity,
    MetadataFidelityLevel,
)
from scistudio.blocks.io.io_block import IOBlock
from scistudio.blocks.io.simple_io import SimpleIODeclarationError, SimpleLoader, SimpleSaver

__all__ = [
    "CapabilityDirection",
    "CapabilityValidationError",
    "FormatCapability",
    "IOBlock",
    "InvalidExtensionError",
    "InvalidFormatCapabilityError",
    "InvalidMetadataFidelityError",
    "MetadataFidelity",
    "MetadataFidelityLevel",
    "SimpleIODeclarationError",
    "SimpleLoader",
    "SimpleSaver",
]

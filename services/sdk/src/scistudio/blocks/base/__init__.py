"""What a block author imports to write any kind of block.

``progress``, ``cancelled``, ``scratch_dir``, ``random_generator`` and ``ResourceRequest`` are provisional.
"""

from scistudio.blocks.base.block import Block
from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.exceptions import BlockCancelledByAppError
from scistudio.blocks.base.execution import cancelled, progress, random_generator, scratch_dir
from scistudio.blocks.base.interactive import (
    INTERACTIVE_RESPONSE_KEY,
    PANEL_API_VERSION,
    InteractiveMixin,
    InteractivePrompt,
    PanelManifest,
    load_intermediate,
)
from scistudio.blocks.base.package_info import PackageInfo, PackageOtaSource
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.base.state import ExecutionMode
from scistudio.engine.resources import ResourceRequest

__all__ = [
    "INTERACTIVE_RESPONSE_KEY",
    "PANEL_API_VERSION",
    "Block",
    "BlockCancelledByAppError",
    "BlockConfig",
    "ExecutionMode",
    "InputPort",
    "InteractiveMixin",
    "InteractivePrompt",
    "OutputPort",
    "PackageInfo",
    "PackageOtaSource",
    "PanelManifest",
    "ResourceRequest",
    "cancelled",
    "load_intermediate",
    "progress",
    "random_generator",
    "scratch_dir",
]

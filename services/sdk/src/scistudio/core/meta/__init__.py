"""Metadata that travels with a data object."""

from __future__ import annotations

from scistudio.core.meta.changes import with_meta_changes
from scistudio.core.meta.channel import ChannelInfo
from scistudio.core.meta.framework import FrameworkMeta

__all__ = ["ChannelInfo", "FrameworkMeta", "with_meta_changes"]

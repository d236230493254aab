"""How a block package introduces itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PackageOtaSource:
    """Where newer versions of a package are announced."""

    manifest_url: str
    channel: str = "stable"


@dataclass(frozen=True)
class PackageInfo:
    """Name and description of a block package, the first item of what its ``scistudio.blocks`` entry point returns."""

    name: str
    description: str = ""
    author: str = ""
    version: str = "0.1.0"
    ota: PackageOtaSource | None = None

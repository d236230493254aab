"""Description of one channel of an image."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from scistudio.stability import stable


@stable(since="0.3.1")
class ChannelInfo(BaseModel):
    """A channel of a multi-channel measurement; wavelengths are in nanometres."""

    model_config = ConfigDict(frozen=True)

    name: str
    dye: str | None = None
    excitation_nm: float | None = None
    emission_nm: float | None = None

"""Blocks that stop in the middle and ask a person.

Two executions: ``prepare_prompt`` makes what the panel shows and ends; after the decision a second one calls ``run``.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from scistudio.blocks.base.config import BlockConfig
    from scistudio.core.storage.ref import StorageReference

PANEL_API_VERSION = "1"
# Keys of the configuration in the second execution: the decision, and the references kept over the pause.
INTERACTIVE_RESPONSE_KEY = "interactive_response"
INTERACTIVE_INTERMEDIATE_KEY = "interactive_intermediate"


@dataclass(frozen=True)
class PanelManifest:
    """The panel that asks: its id in the catalog, and the module of one that a package brings itself."""

    panel_id: str
    module_url: str = ""
    export_name: str = "default"
    css: tuple[str, ...] = ()
    version: str = "0"
    api_version: str = PANEL_API_VERSION
    response_schema: dict[str, Any] | None = None
    asset_root: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what a page may see: no folder of this machine, and no schema where there is none."""
        shown = {
            "panel_id": self.panel_id,
            "module_url": self.module_url,
            "export_name": self.export_name,
            "css": list(self.css),
            "version": self.version,
            "api_version": self.api_version,
        }
        return shown if self.response_schema is None else {**shown, "response_schema": self.response_schema}


@dataclass(frozen=True)
class InteractivePrompt:
    """What the panel shows, and references to heavy work that the second execution takes up again."""

    panel_payload: dict[str, Any]
    intermediate: tuple[StorageReference, ...] = field(default=())


def as_prompt(answer: Any) -> InteractivePrompt:
    """Take what ``prepare_prompt`` returned: an ``InteractivePrompt``, or a dict as its payload.

    Raises
    ------
    TypeError
        It is neither, or the payload is no dict.
    ValueError
        The payload is not strict JSON (NaN and infinities are not).
    """
    prompt = InteractivePrompt(answer) if isinstance(answer, dict) else answer
    if not isinstance(prompt, InteractivePrompt) or not isinstance(prompt.panel_payload, dict):
        raise TypeError(f"prepare_prompt must return an InteractivePrompt or a dict, got {type(answer).__name__}.")
    try:
        json.dumps(prompt.panel_payload, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The panel payload of prepare_prompt is not strict JSON: {error}") from error
    return prompt


class InteractiveMixin:
    """Mix into a block with ``execution_mode = INTERACTIVE`` to let it ask a person."""

    interactive_panel: ClassVar[PanelManifest | str]

    @abstractmethod
    def prepare_prompt(self, inputs: dict[str, Any], config: BlockConfig) -> InteractivePrompt | dict[str, Any]:
        """Make what the panel shows from the whole inputs."""

    def remap_saved_decision(
        self, saved_decision: dict[str, Any], saved_signature: Mapping[str, Any], current_signature: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Fit a remembered decision to the current inputs; ``None`` asks the person again.

        By default a decision is only taken again when the inputs carry the same signature.
        """
        return saved_decision if saved_signature == current_signature else None


def load_intermediate(config: BlockConfig) -> tuple[StorageReference, ...]:
    """Return the references that ``prepare_prompt`` left for ``run``."""
    from scistudio.core.storage.ref import StorageReference

    kept = config.get(INTERACTIVE_INTERMEDIATE_KEY) or ()
    return tuple(item if isinstance(item, StorageReference) else StorageReference(**item) for item in kept)


def interactive_problem(cls: type) -> str | None:
    """Say what keeps a block class from being interactive though it means to be, or ``None``."""
    is_mixed = issubclass(cls, InteractiveMixin)
    is_declared = str(getattr(cls, "execution_mode", "")) == "interactive"
    if is_mixed != is_declared:
        return "An interactive block needs both InteractiveMixin and execution_mode = ExecutionMode.INTERACTIVE."
    if not is_mixed:
        return None
    if cls.prepare_prompt is InteractiveMixin.prepare_prompt:  # type: ignore[attr-defined]  # known from is_mixed
        return "An interactive block needs its own prepare_prompt."
    panel = getattr(cls, "interactive_panel", None)
    panel_id = panel.panel_id if isinstance(panel, PanelManifest) else panel
    if not isinstance(panel_id, str) or not panel_id:
        return "An interactive block needs interactive_panel: a PanelManifest with a panel_id, or the id of a panel."
    return None

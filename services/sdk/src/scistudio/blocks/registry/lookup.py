"""Finding the one capability that reads or writes a type in a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scistudio.blocks.io.capabilities import FormatCapability, matching_suffix
from scistudio.blocks.registry.errors import AmbiguousCapabilityError, CapabilityLookupError, MissingCapabilityError


@dataclass(frozen=True)
class Question:
    """What is looked for."""

    direction: str
    data_type: type | None = None
    extension: str | None = None
    format_id: str | None = None
    capability_id: str | None = None

    def describe(self) -> str:
        """Return it in words."""
        parts = [f"type '{self.data_type.__name__}'" if self.data_type else "any type"]
        parts += [f"extension '{self.extension}'"] if self.extension else []
        parts += [f"format '{self.format_id}'"] if self.format_id else []
        parts += [f"id '{self.capability_id}'"] if self.capability_id else []
        return ", ".join(parts)


def fitting(capabilities: Iterable[FormatCapability], question: Question) -> list[FormatCapability]:
    """Return what fits the question in direction, type, format and extension.

    To load, a capability may give the asked type or a subtype; to save, it may take the asked type or a supertype.
    Of the extensions, the longest compound one that any candidate declares decides.
    """
    found = [item for item in capabilities if item.direction == question.direction]
    if question.data_type is not None:
        found = [item for item in found if _type_fits(item, question.data_type)]
    if question.format_id is not None:
        found = [item for item in found if item.format_id == question.format_id.lower()]
    if question.extension:
        name = question.extension if question.extension.startswith(".") else f".{question.extension}"
        suffix = matching_suffix(name, [extension for item in found for extension in item.extensions])
        found = [item for item in found if suffix in item.extensions]
    return found


def _type_fits(capability: FormatCapability, asked: type) -> bool:
    return issubclass(capability.data_type, asked) if capability.direction == "load" else issubclass(asked, capability.data_type)


def find_one(capabilities: Sequence[FormatCapability], question: Question) -> FormatCapability:
    """Return the capability to use.

    Of several the asked type itself wins, then the single default, the most specific type, the highest priority.

    Raises
    ------
    MissingCapabilityError, AmbiguousCapabilityError
        None is left, or more than one.
    """
    if question.capability_id is not None:
        named = [item for item in capabilities if item.id == question.capability_id and item.direction == question.direction]
        if not named:
            raise _error(MissingCapabilityError, f"There is no {question.direction} capability", question, capabilities)
        return named[0]
    candidates = fitting(capabilities, question)
    if not candidates:
        raise _error(MissingCapabilityError, f"No {question.direction} capability is registered", question, candidates)
    for narrow in (_exact_type, _default, _most_specific, _highest_priority):
        candidates = narrow(candidates, question)
        if len(candidates) == 1:
            return candidates[0]
    raise _error(AmbiguousCapabilityError, f"Several {question.direction} capabilities fit equally", question, candidates)


def _exact_type(candidates: list[FormatCapability], question: Question) -> list[FormatCapability]:
    return _keep(candidates, lambda item: item.data_type is question.data_type)


def _default(candidates: list[FormatCapability], question: Question) -> list[FormatCapability]:
    defaults = [item for item in candidates if item.is_default]
    return defaults if len(defaults) == 1 else candidates


def _most_specific(candidates: list[FormatCapability], question: Question) -> list[FormatCapability]:
    depth = max(len(item.data_type.__mro__) for item in candidates)
    return [item for item in candidates if len(item.data_type.__mro__) == depth]


def _highest_priority(candidates: list[FormatCapability], question: Question) -> list[FormatCapability]:
    highest = max(item.priority for item in candidates)
    return [item for item in candidates if item.priority == highest]


def _keep(candidates: list[FormatCapability], wanted: Callable[[FormatCapability], bool]) -> list[FormatCapability]:
    return [item for item in candidates if wanted(item)] or candidates


def _error(
    kind: type[CapabilityLookupError], text: str, question: Question, candidates: Iterable[FormatCapability]
) -> CapabilityLookupError:
    ids = sorted(item.id for item in candidates)
    listed = f" Candidates: {', '.join(ids)}. Set capability_id to one of them." if ids and kind is AmbiguousCapabilityError else ""
    return kind(
        f"{text} for {question.describe()}.{listed}",
        direction=question.direction,
        data_type=question.data_type,
        extension=question.extension,
        format_id=question.format_id,
        capability_id=question.capability_id,
        candidates=ids,
    )

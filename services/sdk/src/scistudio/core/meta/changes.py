"""Changed copies of typed metadata."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from scistudio.stability import stable

M = TypeVar("M", bound=BaseModel)


@stable(since="0.3.1")
def with_meta_changes(meta: M, **changes: Any) -> M:
    """Return a validated copy of ``meta`` with some fields replaced; ``meta`` itself is untouched.

    Parameters
    ----------
    meta
        Any pydantic model, frozen or not.
    **changes
        New values by field name.

    Raises
    ------
    ValueError
        If a name is not a field of the model (unless the model allows extra fields), or a value does not fit its field.
    """
    fields = type(meta).model_fields
    unknown = sorted(set(changes) - set(fields))
    if unknown and type(meta).model_config.get("extra") != "allow":
        raise ValueError(f"{type(meta).__name__} has no field {unknown}. Its fields are {sorted(fields)}.")
    current = {name: getattr(meta, name) for name in fields} | (meta.model_extra or {})
    changed = type(meta).model_validate({**current, **changes}, by_alias=False, by_name=True)
    # A field counts as set when it was set before or is set now, not because this copy passes it on.
    object.__setattr__(changed, "__pydantic_fields_set__", meta.model_fields_set | set(changes))
    return changed

"""What a type's ``Meta`` must be, so that its values survive the way between processes."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError


def check_meta_model(cls: type) -> None:
    """Check the ``Meta`` of a data type.

    Raises
    ------
    ValueError
        If it is not a pydantic model, has private attributes, or a default instance does not survive JSON.
    """
    model = getattr(cls, "Meta", None)
    if model is None:
        return
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise ValueError(f"{cls.__name__}.Meta must be a pydantic BaseModel, not {model!r}.")
    if model.__private_attributes__:
        raise ValueError(
            f"{cls.__name__}.Meta has private attributes {sorted(model.__private_attributes__)}: they would be lost between blocks."
        )
    if any(field.is_required() for field in model.model_fields.values()):
        return
    try:
        default = model()
        survivor = model.model_validate(default.model_dump(mode="json"))
    except (ValidationError, ValueError, TypeError) as error:
        raise ValueError(f"A default {cls.__name__}.Meta does not survive JSON: {error}") from error
    if survivor != default:
        raise ValueError(f"A default {cls.__name__}.Meta comes back from JSON as {survivor!r} instead of {default!r}.")

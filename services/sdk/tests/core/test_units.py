from __future__ import annotations

import pytest
from pydantic import BaseModel
from scistudio.core.units import PhysicalQuantity as Quantity


def test_quantities_compare_across_units_of_one_kind() -> None:
    assert Quantity(1000, "nm") == Quantity(1, "um")
    assert hash(Quantity(1000, "nm")) == hash(Quantity(1, "um"))
    assert Quantity(0.1, "nm") == Quantity(1, "A")
    assert Quantity(1, "pm") != Quantity(1.4, "pm")
    assert Quantity(1, "ms") < Quantity(1, "s") <= Quantity(1000, "ms")
    assert Quantity(1, "s") != Quantity(1, "m")
    assert Quantity(2, "min").to("s") == Quantity(120, "s")


def test_kinds_do_not_mix_and_units_are_known() -> None:
    with pytest.raises(TypeError, match="Cannot compare time"):
        assert Quantity(1, "s") < Quantity(1, "m")
    with pytest.raises(ValueError, match="Cannot convert time"):
        Quantity(1, "s").to("m")
    with pytest.raises(ValueError, match="Unknown unit 'parsec'"):
        Quantity(1, "parsec")


def test_a_quantity_is_a_field_of_a_model() -> None:
    class Meta(BaseModel):
        pixel: Quantity

    meta = Meta.model_validate({"pixel": {"value": 0.5, "unit": "um"}})
    assert meta.pixel == Quantity(0.5, "um")
    assert meta.model_dump(mode="json") == {"pixel": {"value": 0.5, "unit": "um"}}
    assert Meta.model_validate_json(meta.model_dump_json()) == Meta(pixel=Quantity(0.5, "um"))
    with pytest.raises(ValueError, match="Unknown unit"):
        Meta.model_validate({"pixel": {"value": 1, "unit": "x"}})

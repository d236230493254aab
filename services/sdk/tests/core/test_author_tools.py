"""Stability marks, constraints of ports, iteration over axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Array, Collection, DataFrame, Text
from scistudio.stability import StabilityInfo, Tier, get_stability, internal, provisional, stable
from scistudio.utils.axis_iter import iterate_over_axes
from scistudio.utils.broadcast import BroadcastError, broadcast_apply, iter_axis_slices
from scistudio.utils.constraints import has_axes, has_dtype, has_exact_axes, has_min_shape, has_shape, is_2d, is_3d


def test_marks_are_found_behind_properties_and_class_methods() -> None:
    @stable(since="1.0")
    class Marked:
        @property
        @provisional(since="1.1")
        def size(self) -> int:
            return 1

        @classmethod
        @internal()
        def make(cls) -> None:
            """Nothing."""

    class Child(Marked):
        pass

    assert get_stability(Marked) == StabilityInfo(Tier.STABLE, "1.0")
    assert get_stability(Marked.size) == StabilityInfo(Tier.PROVISIONAL, "1.1")
    assert get_stability(Marked.make) == StabilityInfo(Tier.INTERNAL)
    assert get_stability(Child) is None
    assert get_stability(stable(since="2")(property(lambda self: 1))) == StabilityInfo(Tier.STABLE, "2")
    assert get_stability(Array) == StabilityInfo(Tier.STABLE, "0.3.1")
    assert get_stability(1) is None


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (has_axes("y", "x"), True),
        (has_axes("c"), False),
        (has_exact_axes("x", "y", "z"), True),
        (has_exact_axes("x", "y"), False),
        (has_shape(3), True),
        (has_min_shape(4), False),
        (has_dtype("uint8", "float32"), True),
        (has_dtype(np.dtype("float64")), False),
        (is_2d(), False),
        (is_3d(), True),
    ],
)
def test_constraints_look_at_every_item(constraint: Any, expected: bool) -> None:
    volume = Array(axes=["z", "y", "x"], data=np.zeros((1, 2, 3), "uint8"))
    assert constraint(Collection([volume, volume])) is expected
    assert constraint(Collection([], item_type=Array)) is True
    assert constraint(Collection([Text(content="")])) is False
    assert constraint(1) is False
    assert constraint(Collection([Array(axes=["x"]), volume])) is False
    assert constraint.__name__


def test_each_slice_is_changed_and_put_back_where_it_was(output_dir: Path) -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    source = flush(Array(axes=["y", "t", "x"], data=values, user={"k": 1}, chunk_shape=(2, 1, 4)))
    seen: list[dict[str, int]] = []

    def double(plane: np.ndarray[Any, Any], coord: dict[str, int]) -> np.ndarray[Any, Any]:
        seen.append(coord)
        return plane * 2 + coord["t"]

    result = iterate_over_axes(source, {"x", "y"}, double)
    assert seen == [{"t": 0}, {"t": 1}, {"t": 2}]
    assert np.array_equal(result.to_numpy(), values * 2 + np.arange(3)[:, None])
    assert (result.axes, result.user, result.chunk_shape) == (source.axes, {"k": 1}, (2, 1, 4))
    assert result.framework.derived_from == source.framework.object_id
    assert result.storage_ref is not None
    assert Path(result.storage_ref.path).parent == output_dir


def test_slices_may_change_their_size_all_alike() -> None:
    source = Array(axes=["t", "y", "x"], data=np.zeros((2, 4, 6), "uint8"))
    assert iterate_over_axes(source, {"y", "x"}, lambda plane, _: plane[::2, ::3]).shape == (2, 2, 2)
    sizes = iter([1, 2])
    with pytest.raises(BroadcastError, match=r"shape \(2, 6\) at .* but \(1, 6\) before"):
        iterate_over_axes(source, {"y", "x"}, lambda plane, _: plane[: next(sizes)])
    with pytest.raises(BroadcastError, match="returned 1 dimensions for a slice with 2"):
        iterate_over_axes(source, {"y", "x"}, lambda plane, _: plane[0])


def test_iteration_over_axes_that_are_not_there_is_refused() -> None:
    source = Array(axes=["t", "x"], data=np.zeros((0, 3)))
    assert iterate_over_axes(source, {"x"}, lambda row, _: row).shape == (0, 3)
    with pytest.raises(BroadcastError, match=r"operates_on \['q'\] is not among"):
        iterate_over_axes(source, {"q"}, lambda row, _: row)
    with pytest.raises(BroadcastError, match="needs the shape"):
        iterate_over_axes(Array(axes=["x"]), {"x"}, lambda row, _: row)

    def fails(row: np.ndarray[Any, Any], coord: dict[str, int]) -> np.ndarray[Any, Any]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        iterate_over_axes(Array(axes=["t", "x"], data=np.zeros((1, 3))), {"x"}, fails)


def test_one_mask_is_applied_to_every_plane() -> None:
    target = Array(axes=["c", "y", "x"], data=np.arange(12).reshape(2, 2, 3))
    mask = np.array([[1, 0, 0], [0, 0, 1]], dtype=bool)
    assert broadcast_apply(mask, target, lambda m, plane: int(plane[m].sum()), ["c"]) == [5, 17]
    assert [index for index, _ in iter_axis_slices(target.to_numpy(), target.axes, "y")] == [0, 1]
    with pytest.raises(BroadcastError, match="not in"):
        broadcast_apply(mask, target, lambda m, plane: 0, ["t"])
    with pytest.raises(BroadcastError, match="no axis 't'"):
        next(iter_axis_slices(target.to_numpy(), target.axes, "t"))


def test_a_read_of_more_than_two_gibibytes_warns(tmp_path: Path) -> None:
    array = Array(axes=["x"], shape=(2**31,), dtype="uint16", storage_ref=Array(axes=["x"], data=np.zeros(1)).save(tmp_path / "a.zarr"))
    with pytest.warns(ResourceWarning, match=r"4\.0 GiB"):
        array.to_memory()
    assert DataFrame(data={"a": [1]}).to_memory().num_rows == 1

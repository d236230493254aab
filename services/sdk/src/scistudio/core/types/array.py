"""Array: dense data with named axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scistudio.core.storage.ref import StorageReference
from scistudio.core.types.axes import checked_axes, checked_selection, scale_after
from scistudio.core.types.base import DataObject
from scistudio.core.units import PhysicalQuantity
from scistudio.stability import provisional, stable

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Array"]

KEEP_IN_MEMORY_BYTES = 64 * 1024**2


@stable(since="0.3.1")
class Array(DataObject):
    """N-dimensional numbers with named axes.

    Parameters
    ----------
    axes
        A name an axis, in order: ``t z c lambda y x`` by convention (``c`` discrete channels, ``lambda`` spectral bands), any other too.
    shape, dtype
        Taken from ``data`` when not given.
    chunk_shape
        How to cut the stored array into chunks; chosen from shape, type and axes when not given.
    data
        The values, when they are in memory.
    scale
        Physical step between neighbours along an axis, such as ``{"y": PhysicalQuantity(0.1, "um")}``.
    **slots
        Those of :class:`DataObject`.

    Raises
    ------
    ValueError
        If axes repeat, do not fit the class, or their number differs from the dimensions of shape or data.
    """

    required_axes: ClassVar[frozenset[str]] = frozenset()
    allowed_axes: ClassVar[frozenset[str] | None] = None
    canonical_order: ClassVar[tuple[str, ...]] = ()
    """Order in which viewers like to show axes; never enforced."""

    # Set on a region that ``sel`` keeps in memory: its first reference is made by writing it.
    _written_on_demand = False

    def __init__(
        self,
        *,
        axes: Sequence[str],
        shape: Sequence[int] | None = None,
        dtype: Any = None,
        chunk_shape: Sequence[int] | None = None,
        data: Any = None,
        scale: Mapping[str, PhysicalQuantity] | None = None,
        **slots: Any,
    ) -> None:
        super().__init__(**slots)
        self._axes = checked_axes(type(self), axes)
        self._shape = None if shape is None else tuple(int(size) for size in shape)
        self._dtype = dtype
        self.chunk_shape = None if chunk_shape is None else tuple(int(size) for size in chunk_shape)
        self.scale: dict[str, PhysicalQuantity] = dict(scale or {})
        self._transient_data = data
        self._check_dimensions()

    @classmethod
    @provisional(since="0.4.0")
    def from_numpy(cls, array: Any, axes: Sequence[str], **slots: Any) -> Self:
        """Make an Array that holds ``array`` (not a copy of it)."""
        import numpy as np

        return cls(axes=axes, data=np.asarray(array), **slots)

    @property
    def axes(self) -> list[str]:
        """Names of the axes, in order (a copy)."""
        return list(self._axes)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Number of elements along each axis, where known."""
        return self._shape if self._shape is not None else _shape_of(self._known())

    @shape.setter
    def shape(self, shape: Sequence[int] | None) -> None:
        self._shape = None if shape is None else tuple(shape)

    @property
    def dtype(self) -> Any:
        """Element type as given, else the numpy name of the data's."""
        return self._dtype if self._dtype is not None else _dtype_of(self._known())

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self._dtype = dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._axes)

    @property
    def storage_ref(self) -> StorageReference | None:
        """Where the payload lives, or ``None``. A region kept in memory by :meth:`sel` is written when this is first asked for."""
        if self._storage_ref is None and self._written_on_demand and self._transient_data is not None:
            from scistudio.core.storage.persistence import write_object_anywhere

            self._storage_ref = write_object_anywhere(self)
        return self._storage_ref

    @storage_ref.setter
    def storage_ref(self, ref: StorageReference | None) -> None:
        self._storage_ref = ref

    def to_memory(self) -> Any:
        """Return all values: from memory when they are there on their own, else from storage."""
        if self._storage_ref is None or (self._written_on_demand and self._transient_data is not None):
            if self._transient_data is None:
                raise ValueError("Cannot load data: no storage reference set.")
            return self._transient_data
        return super().to_memory()

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return all values as a numpy array."""
        import numpy as np

        return np.asarray(self.to_memory())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        values = self.to_numpy()
        if dtype is not None and values.dtype != dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def get_in_memory_data(self) -> Any:
        """Return the values, checked against the axes."""
        data = super().get_in_memory_data()
        self._check_dimensions()
        return data

    def sel(self, **axis_to_index: Any) -> Array:
        """Return a region as a plain ``Array``; an int drops its axis, a slice keeps it.

        Only the region is read. Up to 64 MiB it stays in memory and is written when first referenced; larger ones are written at once.

        Raises
        ------
        ValueError
            If an axis is unknown, an index is neither int nor slice, or there is no data.
        IndexError
            If an int is out of bounds.
        """
        index = checked_selection(type(self), self._axes, self.shape, axis_to_index)
        region = self._read_region(index)
        kept = [axis for axis, chosen in zip(self._axes, index, strict=True) if isinstance(chosen, slice)]
        selected = Array(
            axes=kept,
            data=region,
            scale=scale_after(self.scale, self._axes, index),
            framework=self._framework.derive(),
            meta=self._meta,
            user=self._user,
        )
        selected._shape, selected._dtype = region.shape, str(region.dtype)
        selected._written_on_demand = True
        if region.nbytes > KEEP_IN_MEMORY_BYTES:
            assert selected.storage_ref is not None
            selected._transient_data = None
        return selected

    def iter_over(self, axis: str) -> Iterator[Array]:
        """Yield the region at each index of ``axis``, in order."""
        if axis not in self._axes:
            raise ValueError(f"iter_over() received unknown axis {axis!r}; {type(self).__name__} has {self._axes}.")
        shape = self.shape
        if shape is None:
            raise ValueError("iter_over() needs the shape, which is not known.")
        for position in range(shape[self._axes.index(axis)]):
            yield self.sel(**{axis: position})

    def _read_region(self, index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        import numpy as np

        if self._transient_data is not None and (self._storage_ref is None or self._written_on_demand):
            return np.array(np.asarray(self._transient_data)[index])
        if self._storage_ref is None:
            raise ValueError(f"{type(self).__name__}.sel() requires backing data: it has neither a storage_ref nor data in memory.")
        if self._storage_ref.backend == "zarr":
            return np.asarray(self.slice(*index))
        return np.array(np.asarray(self.to_memory())[index])

    def _known(self) -> Any:
        """Return what shape and dtype can be taken from: the data, or what the writer noted in the reference."""
        if self._transient_data is not None:
            return self._transient_data
        return None if self._storage_ref is None else self._storage_ref.metadata

    def _check_dimensions(self) -> None:
        for what, shape in (("shape", self._shape), ("data", _shape_of(self._transient_data))):
            if shape is not None and len(shape) != len(self._axes):
                raise ValueError(
                    f"{type(self).__name__} has {len(self._axes)} axes {self._axes}, but its {what} has {len(shape)} dimensions {shape}."
                )

    def _estimated_size_bytes(self) -> int:
        from math import prod

        known = _numpy_dtype(self.dtype)
        return 0 if self.shape is None else prod(self.shape) * (8 if known is None else known.itemsize)

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return axes, shape, element type and chunk shape, and the physical scale where one is set."""
        extras: dict[str, Any] = {
            "axes": obj.axes,
            "shape": None if obj.shape is None else [int(size) for size in obj.shape],
            "dtype": _dtype_name(obj.dtype),
            "chunk_shape": None if obj.chunk_shape is None else [int(size) for size in obj.chunk_shape],
        }
        if obj.scale:
            extras["scale"] = {axis: {"value": step.value, "unit": step.unit} for axis, step in obj.scale.items()}
        return extras

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return axes, shape, element type, chunk shape and scale."""
        shape, chunk_shape = metadata.get("shape"), metadata.get("chunk_shape")
        kwargs: dict[str, Any] = {
            "axes": list(metadata.get("axes") or []),
            "shape": None if shape is None else tuple(shape),
            "dtype": metadata.get("dtype"),
            "chunk_shape": None if chunk_shape is None else tuple(chunk_shape),
        }
        if metadata.get("scale"):
            kwargs["scale"] = {axis: PhysicalQuantity(**step) for axis, step in metadata["scale"].items()}
        return kwargs


def _shape_of(source: Any) -> tuple[int, ...] | None:
    shape = source.get("shape") if isinstance(source, dict) else getattr(source, "shape", None)
    if shape is None and isinstance(source, list | tuple):
        import numpy as np

        shape = np.shape(source)
    return None if shape is None else tuple(int(size) for size in shape)


def _dtype_of(source: Any) -> str | None:
    dtype = source.get("dtype") if isinstance(source, dict) else getattr(source, "dtype", None)
    if dtype is None and isinstance(source, list | tuple):
        import numpy as np

        dtype = np.asarray(source).dtype
    return None if dtype is None else str(dtype)


def _numpy_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the numpy type that a block author meant, or ``None`` where numpy has no such type."""
    import numpy as np

    try:
        return None if dtype is None else np.dtype(dtype)
    except TypeError:
        return None


def _dtype_name(dtype: Any) -> str | None:
    """Return the short numpy name of a type (``uint8``), or its code where the name does not lead back to it (``<U5``)."""
    known = _numpy_dtype(dtype)
    if known is None:
        return None if dtype is None else str(dtype)
    return known.name if _numpy_dtype(known.name) == known else known.str

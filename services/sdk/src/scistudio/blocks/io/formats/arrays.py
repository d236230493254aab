"""Arrays: npy, npz and Zarr."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from scistudio.core.storage.backend_router import get_router
from scistudio.core.storage.ref import StorageReference
from scistudio.core.types import Array

_SLAB_BYTES = 64 * 1024 * 1024


def _array(values: np.ndarray[Any, Any], slots: Mapping[str, Any]) -> Array:
    return Array(axes=[f"axis_{n}" for n in range(values.ndim)], data=values, shape=values.shape, dtype=str(values.dtype), **slots)


def _without_pickle(path: Path, error: ValueError) -> ValueError:
    return ValueError(f"{path} cannot be read as numbers: {error} It may hold Python objects, which are not loaded.")


def read_npy(path: Path, options: Mapping[str, Any], **slots: Any) -> Array:
    """Read one array."""
    try:
        values = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise _without_pickle(path, error) from error
    return _array(values, slots)


def read_npz(path: Path, options: Mapping[str, Any], **slots: Any) -> Array:
    """Read the first array of an archive."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not archive.files:
                raise ValueError(f"{path} holds no arrays.")
            if len(archive.files) > 1:
                left_out = archive.files[1:]
                warnings.warn(f"{path} holds {len(archive.files)} arrays; only '{archive.files[0]}' is read, not {left_out}.", stacklevel=2)
            values = archive[archive.files[0]]
    except ValueError as error:
        raise _without_pickle(path, error) from error
    return _array(values, slots)


def read_zarr(path: Path, options: Mapping[str, Any], **slots: Any) -> Array:
    """Refer to a Zarr array where it lies; nothing is copied."""
    import zarr

    opened = zarr.open(str(path), mode="r")
    if isinstance(opened, zarr.Group):
        raise ValueError(f"{path} is a Zarr group; give the path of one of its arrays: {sorted(name for name, _ in opened.arrays())}.")
    reference = StorageReference(backend="zarr", path=str(path), format="zarr")
    found = get_router().get("zarr").get_metadata(reference)
    axes = found.get("axes") or [f"axis_{n}" for n in range(len(found["shape"]))]
    return Array(axes=[str(axis) for axis in axes], shape=tuple(found["shape"]), dtype=str(found["dtype"]), storage_ref=reference, **slots)


def write_npy(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write one array, slab by slab when it is stored."""
    if obj.storage_ref is None or not obj.shape or 0 in obj.shape:
        with path.open("wb") as file:
            np.save(file, obj.to_numpy(), allow_pickle=False)
        return
    found = get_router().get(obj.storage_ref.backend).get_metadata(obj.storage_ref)
    shape, dtype = tuple(found["shape"]), np.dtype(found["dtype"])
    target = open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    slab = max(1, _SLAB_BYTES // max(1, dtype.itemsize * int(np.prod(shape[1:]))))
    start = 0
    for values in obj.iter_chunks(slab):
        target[start : start + len(values)] = values
        start += len(values)
    target.flush()


def write_npz(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write an archive with the array under the key ``data``."""
    with path.open("wb") as file:
        np.savez(file, data=obj.to_numpy())


def write_zarr(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write a Zarr array; a stored one is copied as it is."""
    reference = obj.storage_ref
    if reference is not None and reference.backend == "zarr":
        shutil.copytree(reference.path, path)
        return
    get_router().get("zarr").write(obj.get_in_memory_data(), StorageReference("zarr", str(path), metadata={"axes": list(obj.axes)}))

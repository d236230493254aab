"""Zarr stores of every other kind, through zarr-python: sharded, of texts and dates, Zarr v2, foreign codecs."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scistudio.core.storage.array_store import ATTRIBUTE, COMPLETE, COMPRESSION_LEVEL, ArrayLayout, known_axes, unit_path
from scistudio.core.storage.chunking import Box, chunk_box, chunks_touched

if TYPE_CHECKING:
    import numpy as np


@dataclass
class LibraryStore:
    """A store behind a ``zarr.Array``."""

    path: Path
    layout: ArrayLayout
    array: Any
    complete: bool = False

    @classmethod
    def create(cls, path: Path, layout: ArrayLayout) -> Self:
        """Make an empty store."""
        import zarr
        import zarr.codecs

        with warnings.catch_warnings():
            # Texts and dates have no final specification in Zarr v3 yet; zarr-python reads what it wrote.
            warnings.filterwarnings("ignore", module="zarr")
            array = zarr.create_array(
                str(path),
                shape=layout.shape,
                dtype=layout.dtype,
                chunks=layout.chunk_shape,
                shards=layout.shard_shape,
                compressors=[zarr.codecs.ZstdCodec(level=COMPRESSION_LEVEL)],
                dimension_names=layout.axes,
                attributes=layout.attributes,
                # An empty chunk is written like any other: one that is missing later is then known to be lost.
                config={"write_empty_chunks": True},
            )
        return cls(path, layout, array)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store.

        Raises
        ------
        FileNotFoundError
            If there is none.
        ValueError
            If it is a group, or cannot be understood.
        """
        import zarr

        if not path.exists():
            raise FileNotFoundError(path)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="zarr")
            node = zarr.open(str(path), mode="r")
        if not isinstance(node, zarr.Array):
            raise ValueError("it is a Zarr group: reference one of the arrays inside")
        attributes: dict[str, Any] = dict(node.attrs)
        axes = known_axes(attributes.get("axes") or list(getattr(node.metadata, "dimension_names", None) or ()), node.ndim)
        layout = ArrayLayout(node.shape, node.dtype, node.chunks, node.shards, axes)
        return cls(path, layout, node, complete=attributes.get(ATTRIBUTE) == COMPLETE)

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Return a copy of a part; only the chunks it touches are read.

        Raises
        ------
        ValueError
            If a file that was written is not there.
        """
        import numpy as np

        if self.complete:
            self._check_present(box)
        return np.asarray(self.array[box])

    def write_unit(self, index: tuple[int, ...], values: np.ndarray[Any, Any]) -> None:
        """Write one shard or chunk."""
        self.array[chunk_box(index, self.layout.shape, self.layout.unit_shape)] = values

    def has_unit(self, index: tuple[int, ...]) -> bool:
        """Say whether a shard or chunk was written."""
        return unit_path(self.path, index).is_file()

    def finish(self, *, complete: bool) -> None:
        """Note in the metadata whether everything was written."""
        if complete:
            file = self.path / "zarr.json"
            document = json.loads(file.read_bytes())
            document["attributes"] = {**document.get("attributes", {}), ATTRIBUTE: COMPLETE}
            file.write_text(json.dumps(document, indent=2))

    def _check_present(self, box: Box) -> None:
        missing = next((index for index in chunks_touched(box, self.layout.unit_shape) if not self.has_unit(index)), None)
        if missing is not None:
            raise ValueError(f"chunk {unit_path(Path(), missing)} is missing")

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scistudio.blocks.registry import BlockRegistry
from scistudio.core.types import Array, Artifact, CompositeData, DataFrame, Text
from scistudio.engine.materialisation import materialise_to_file, reconstruct_from_file


@pytest.fixture(scope="module")
def registry() -> BlockRegistry:
    made = BlockRegistry()
    made.scan()
    return made


class Image(Array):
    """A subtype without a format of its own."""


@pytest.mark.parametrize(("extension", "name"), [(None, "data.csv"), (".parquet", "data.parquet"), ("JSON", "data.json")])
def test_a_table_becomes_a_file_and_comes_back(tmp_path: Path, registry: BlockRegistry, extension: str | None, name: str) -> None:
    table = pa.table({"a": [1, 2]})
    frame = DataFrame(data=table)
    frame.save(tmp_path / "stored.parquet")
    path = materialise_to_file(frame, tmp_path / "new", extension, registry=registry)
    assert path == tmp_path / "new" / name
    loaded = reconstruct_from_file(path, DataFrame, registry=registry)
    assert loaded.to_memory().to_pydict() == {"a": [1, 2]}
    assert loaded.framework.source == str(path)


def test_a_subtype_is_written_by_the_saver_of_its_ancestor(tmp_path: Path, registry: BlockRegistry) -> None:
    path = materialise_to_file(Image(axes=["y"], data=np.arange(3)), tmp_path, ".npy", filename_stem="x", registry=registry)
    assert np.load(path).tolist() == [0, 1, 2]


def test_a_file_of_the_right_suffix_is_copied(tmp_path: Path, registry: BlockRegistry) -> None:
    (tmp_path / "a.weird").write_bytes(b"1")
    artifact = reconstruct_from_file(tmp_path / "a.weird", Artifact, registry=registry)
    copy = materialise_to_file(artifact, tmp_path / "exchange", registry=registry)
    copy.write_bytes(b"2")
    assert (copy.name, (tmp_path / "a.weird").read_bytes()) == ("data.weird", b"1")


def test_what_nobody_reads_or_writes_is_a_lookup_error(tmp_path: Path, registry: BlockRegistry) -> None:
    (tmp_path / "a.weird").write_bytes(b"1")
    with pytest.raises(LookupError):
        reconstruct_from_file(tmp_path / "a.weird", Text, registry=registry)
    with pytest.raises(LookupError):
        materialise_to_file(CompositeData(slots={}), tmp_path, registry=registry)
    with pytest.raises(FileNotFoundError):
        reconstruct_from_file(tmp_path / "gone.csv", DataFrame, registry=registry)

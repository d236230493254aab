"""Many writers, and writers that die: no element is lost, and no half object is left where a reference points."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scistudio.core.storage import chunking
from scistudio.core.storage.array_writer import ArrayWriter
from scistudio.core.storage.staging import remove_partials, staged
from scistudio.core.storage.zarr_backend import ZarrBackend

VALUES = np.random.default_rng(7).random((24, 24, 24))
# Smaller than a chunk, and across the edges of chunks.
PIECES = [tuple(slice(start, start + 5) for start in corner) for corner in product(range(0, 24, 5), repeat=3)]

WRITE_EVERY_SECOND_PIECE = """
import pickle, sys
writer, pieces = pickle.load(sys.stdin.buffer)
for index, values in pieces:
    writer[index] = values
"""


@pytest.fixture(params=["chunks", "shards"])
def writer(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ArrayWriter:
    if request.param == "shards":
        monkeypatch.setattr(chunking, "SHARDED_FROM_BYTES", 0)
        monkeypatch.setattr(chunking, "SHARD_BYTES", 8**3 * 8 * 4)
    return ArrayWriter(tmp_path / "a.zarr", VALUES.shape, "f8", chunk_shape=(8, 8, 8))


def test_threads_that_write_neighbouring_pieces_lose_nothing(writer: ArrayWriter, tmp_path: Path) -> None:
    def write(index: tuple[slice, ...]) -> None:
        writer[index] = VALUES[index]

    with writer, ThreadPoolExecutor(4) as pool:
        list(pool.map(write, PIECES))
    assert np.array_equal(ZarrBackend().read(writer.reference), VALUES)
    in_one_go = ArrayWriter(tmp_path / "b.zarr", VALUES.shape, "f8", chunk_shape=(8, 8, 8))
    with in_one_go:
        in_one_go.write_all(VALUES)
    assert writer.reference.content_hash == in_one_go.reference.content_hash
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.zarr", "b.zarr"]


def test_processes_that_write_neighbouring_pieces_lose_nothing(writer: ArrayWriter) -> None:
    with writer:
        writer[...] = 1.0
        others = pickle.dumps((writer, [(index, VALUES[index]) for index in PIECES[::2]]))
        command = [sys.executable, "-c", WRITE_EVERY_SECOND_PIECE]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
            assert child.stdin is not None
            child.stdin.write(others)
            child.stdin.close()
            for index in PIECES[1::2]:
                writer[index] = VALUES[index]
        assert child.returncode == 0
    assert np.array_equal(ZarrBackend().read(writer.reference), VALUES)
    again = ZarrBackend().write(VALUES, type(writer.reference)("zarr", writer.reference.path, metadata={"chunk_shape": (8, 8, 8)}))
    assert writer.reference.content_hash == again.content_hash


def test_a_writer_that_raises_leaves_nothing(writer: ArrayWriter, tmp_path: Path) -> None:
    with pytest.raises(IndexError), writer:
        writer[0] = 1
        writer[99] = 1
    assert not list(tmp_path.iterdir())


DIES_WHILE_WRITING = """
import os, sys
import numpy as np, pyarrow as pa
from scistudio.core.storage.array_writer import ArrayWriter
from scistudio.core.storage.table_writer import TableWriter
from scistudio.core.storage.staging import stage
from pathlib import Path
folder = Path(sys.argv[1])
array = ArrayWriter(folder / "a.zarr", (4, 4), "f8", chunk_shape=(2, 2))
array[0:2, 0:2] = 1
table = TableWriter(str(folder / "t.parquet"))
table.write(pa.table({"a": range(200_000)}))
stage(folder / "x.txt").write_text("half")
print("written", flush=True)
sys.stdin.read()
"""


def test_a_killed_writer_leaves_nothing_that_a_reference_could_name(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DIES_WHILE_WRITING, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        os.kill(child.pid, signal.SIGKILL)
    left = [path.name for path in tmp_path.iterdir()]
    assert len(left) == 3
    assert all(name.startswith(".") and name.endswith(".partial") for name in left)
    assert remove_partials(tmp_path) == 3
    assert not list(tmp_path.iterdir())


def test_an_old_file_stays_when_writing_a_new_one_fails(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(OSError, match="disk full"), staged(file) as staging:
        staging.write_text("ne")
        raise OSError("disk full")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


WRITES_MORE_THAN_FITS = """
import resource, sys
import numpy as np
from scistudio.core.storage import flush_context
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Array, CompositeData, DataFrame, Text
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
flush_context.set_output_dir(sys.argv[1])
noise = np.random.default_rng(1).random(20_000)
objects = [Array(axes=["x"], data=noise), Array(axes=["x"], data=(noise * 1e15).astype("M8[ns]")), DataFrame(data={"a": noise}),
           Text(content="x" * 30_000), CompositeData(slots={"a": Text(content="fits"), "b": Array(axes=["x"], data=noise)})]
for obj in objects:
    try:
        flush(obj)
    except RuntimeError as error:
        print(error)
print(all(obj.to_memory() is not None for obj in objects))
"""


def test_a_disk_that_is_full_leaves_nothing_and_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITES_MORE_THAN_FITS, str(tmp_path)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    assert len(lines) == 6
    assert all("auto_flush failed for" in line and "too large" in line for line in lines[:5])
    assert lines[5] == "True"
    assert not list(tmp_path.iterdir())

"""What an import costs, and that a warm parent stays alone in its process. Each test looks into a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str, **environment: str) -> str:
    import os

    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout.strip()


@pytest.mark.parametrize(
    "module",
    ["scistudio", "scistudio.core.types", "scistudio.core.types.serialization", "scistudio.core.meta", "scistudio.utils.constraints"],
)
def test_types_are_imported_without_their_libraries(module: str) -> None:
    heavy = "numpy pyarrow zarr numcodecs pandas blake3 asyncio"
    code = f"import sys, {module}; print([name for name in {heavy.split()} if name in sys.modules])"
    assert run(code) == "[]"


def test_a_small_array_is_written_and_read_without_zarr() -> None:
    code = """
import sys, tempfile, numpy as np
from scistudio.core.types import Array
array = Array(axes=["x"], data=np.arange(3))
array.save(tempfile.mkdtemp() + "/a.zarr")
assert Array(axes=["x"], storage_ref=array.storage_ref).to_numpy().tolist() == [0, 1, 2]
print([name for name in ("zarr", "asyncio", "pandas") if name in sys.modules])
"""
    assert run(code) == "[]"


ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_preloading_starts_no_thread() -> None:
    code = "import os; from scistudio.core.preload import preload; preload(); print(len(os.listdir('/proc/self/task')))"
    assert run(code, **ALONE) == "1"


FIRST_WORK_OF_A_CHILD = """
import os, sys
from scistudio.core.preload import preload
preload()
before = set(sys.modules)
import numpy as np, pyarrow as pa, tempfile
from scistudio.core.storage import flush_context
from scistudio.core.storage.persistence import flush
from scistudio.core.types import Array, Collection, CompositeData, DataFrame, Series, Text
from scistudio.core.types.serialization import reconstruct_value, serialise_value
folder = tempfile.mkdtemp()
pid = os.fork()
if pid:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
flush_context.set_output_dir(folder)
bundle = CompositeData(slots={
    "array": Array(axes=["y", "x"], data=np.eye(3)), "table": DataFrame(data={"a": [1, None], "b": ["x", "y"]}),
    "series": Series(data=[1.0]), "text": Text(content="t")})
back = reconstruct_value(serialise_value(Collection([flush(bundle)])))[0]
back.to_memory(), back.get("table").rows(0, 1), back.get("array").sel(y=0).to_numpy()
print(sorted(set(sys.modules) - before), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_child_imports_nothing_for_its_first_read_and_write() -> None:
    assert run(FIRST_WORK_OF_A_CHILD, **ALONE) == "[]"

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import json, sys
import {module}
heavy = ("grpc", "pandas", "pyarrow", "zarr", "asyncio", "multiprocessing")
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


def loaded_by(module: str) -> list[str]:
    out = subprocess.run([sys.executable, "-c", SCRIPT.format(module=module)], capture_output=True, text=True, check=True).stdout
    return list(json.loads(out))


def test_importing_the_base_of_blocks_loads_nothing_heavy() -> None:
    assert loaded_by("scistudio.blocks.base, scistudio.blocks.process") == []


def test_importing_the_io_blocks_loads_no_format_library() -> None:
    found = loaded_by("scistudio.blocks.io, scistudio.blocks.io.loaders, scistudio.blocks.io.savers")
    assert not {"grpc", "pandas", "pyarrow", "zarr"} & set(found)


def test_importing_the_worker_package_loads_no_library_at_all() -> None:
    assert loaded_by("scistudio.worker, scistudio.worker.protocol") == []

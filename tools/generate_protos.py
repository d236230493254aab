"""Generate ``scistudio_proto`` from ``proto/scistudio``; with ``--check`` only say whether the committed code is current.

The import root of the generated code is rewritten from ``scistudio`` (the SDK's) to ``scistudio_proto``; descriptor names stay.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent / "proto"
PACKAGE = ROOT / "src" / "scistudio_proto"
KEPT = {"__init__.py", "py.typed"}


def generate(out: Path) -> None:
    """Write the generated package into the empty folder ``out``."""
    os.environ["PATH"] = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"  # protoc looks for its plugins there
    protos = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scistudio").rglob("*.proto"))
    arguments = [
        "protoc",
        f"-I{ROOT}",
        f"-I{files('grpc_tools') / '_proto'}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out=quiet:{out}",
        f"--mypy_grpc_out=quiet:{out}",
    ]
    if protoc.main(arguments + protos) != 0:
        raise SystemExit("protoc failed; its message is above.")
    for path in out.rglob("*.py*"):
        text = path.read_text()
        text = re.sub(r"^(from|import) scistudio\.", r"\1 scistudio_proto.", text, flags=re.MULTILINE)
        path.write_text(
            re.sub(r"(?<![\w.\"'/])scistudio\.(\w+\.v1\.\w+_pb2)", r"scistudio_proto.\1", text) if path.suffix == ".pyi" else text
        )
    for path in (out / "scistudio").iterdir():
        shutil.move(path, out / path.name)
    (out / "scistudio").rmdir()
    for folder in [path for path in out.rglob("*") if path.is_dir()]:
        (folder / "__init__.py").touch()


def relative_files(folder: Path) -> set[Path]:
    """Generated files below ``folder``, relative to it."""
    return {
        path.relative_to(folder)
        for path in folder.rglob("*.py*")
        if path.suffix in {".py", ".pyi"} and path.relative_to(folder).as_posix() not in KEPT
    }


def main() -> None:
    """Generate, or check."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        generate(fresh)
        if sys.argv[1:] == ["--check"]:
            names = relative_files(fresh)
            same = names == relative_files(PACKAGE) and all(filecmp.cmp(fresh / name, PACKAGE / name, shallow=False) for name in names)
            if not same:
                raise SystemExit("The generated code in proto/src is not current: run `make protos` and commit it.")
            return
        for name in relative_files(PACKAGE):
            (PACKAGE / name).unlink()
        for name in sorted(relative_files(fresh)):
            (PACKAGE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(fresh / name, PACKAGE / name)


if __name__ == "__main__":
    main()

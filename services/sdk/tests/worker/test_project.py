"""Blocks and types that lie in a project: found by a probe, run by a child."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SPECTRUM = '''
"""Spectra."""
from pydantic import BaseModel
from scistudio.core.types import Series

class Spectrum(Series):
    """Intensity over wavelength."""
    ui_color = "#0AF"
    class Meta(BaseModel):
        laser_nm: float = 532.0
'''
LOADER = """
import pyarrow as pa
from scistudio.blocks.base import InputPort, OutputPort, ResourceRequest
from scistudio.blocks.io import SimpleLoader
from scistudio.blocks.process import ProcessBlock
from spectrum import Spectrum

class SpecLoader(SimpleLoader):
    name = "Load spectrum"
    output_type = Spectrum
    format_id = "spec"
    extensions = (".spec",)

    def load_file(self, path, config):
        values = [float(line) for line in path.read_text().split()]
        return Spectrum(data=pa.table({"i": values}), meta=Spectrum.Meta(laser_nm=config.get("laser", 1.0)))

class Double(ProcessBlock):
    \"\"\"Double every value.\"\"\"
    name = "Double"
    input_ports = [InputPort(name="in", accepted_types=[Spectrum])]
    output_ports = [OutputPort(name="out", accepted_types=[Spectrum])]
    resource_request = ResourceRequest(cpu_cores=2, memory_gb=0.5)

    def process_item(self, item, config):
        assert isinstance(item, Spectrum), type(item).__mro__
        return Spectrum(data=pa.table({"i": [2 * v for v in item.to_memory()["i"].to_pylist()]}), meta=item.meta)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    for name, text in {
        "types/spectrum.py": SPECTRUM,
        "blocks/spectra.py": LOADER,
        "blocks/_helper.py": "raise RuntimeError",
        "blocks/broken.py": "import json\n1 / 0\n",
        "blocks/exits.py": "raise SystemExit(3)\n",
        "blocks/typo.py": "def f(:\n",
        "blocks/clash.py": LOADER.split("class Double")[0].replace("Load spectrum", "Another"),
        "a.spec": "1 2.5",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def catalog(parent: Any, project: Path) -> dict[str, Any]:
    answer = parent.run({"kind": "probe", "project_dir": str(project)})
    assert answer.last["type"] == "catalog", answer.last
    return dict(answer.last)


def execute(parent: Any, project: Path, spec: dict[str, Any], inputs: dict[str, Any], **config: Any) -> Any:
    """Run a block of the catalog as the runner would."""
    location = spec["class_name"] if spec["file_path"] else f"{spec['module']}:{spec['class_name']}"
    return parent.run(
        {
            "kind": "execute",
            "execution_id": "e2",
            "block_class": location,
            "block_file_path": spec["file_path"],
            "runtime_import_roots": spec["import_roots"],
            "inputs": inputs,
            "config": config,
            "output_dir": str(project / "data" / "zarr" / "w" / "n"),
            "project_dir": str(project),
            "node_id": "n",
            "seed": 1,
        }
    )


def by_type(catalog: dict[str, Any]) -> dict[str, Any]:
    return {block["type_name"]: block for block in catalog["blocks"]}


def test_a_probe_finds_built_in_blocks_and_those_of_the_project(catalog: dict[str, Any], project: Path) -> None:
    blocks = by_type(catalog)
    assert {"load_data", "save_data", "mergecollection_block", "slicecollection_block", "double_block", "specloader_block"} <= blocks.keys()
    double = blocks["double_block"]
    assert (double["source"], double["file_path"]) == ("project", str(project / "blocks" / "spectra.py"))
    assert double["import_roots"] == [str(project / "types")]
    assert double["input_ports"] == [
        {"name": "in", "accepted_types": ["Spectrum"], "required": True, "is_collection": False, "description": ""}
    ]
    assert double["resources"] == {"cpu_cores": 2, "requires_gpu": False, "memory_gb": 0.5, "cpu_time_s": 0.0, "wall_time_s": 0.0}
    assert double["description"] == "Double every value."
    assert blocks["specloader_block"]["format_capabilities"][0]["data_type"] == "Spectrum"
    assert blocks["load_data"]["source"] == "builtin"
    json.dumps(catalog, allow_nan=False)


def test_a_probe_finds_types_with_their_ancestors(catalog: dict[str, Any], project: Path) -> None:
    types = {item["name"]: item for item in catalog["types"]}
    assert types["Spectrum"]["type_chain"] == ["DataObject", "Series", "Spectrum"]
    assert (types["Spectrum"]["origin"], types["Spectrum"]["ui_color"]) == ("project", "#00aaff")
    assert types["Array"]["origin"] == "builtin"


def test_a_file_that_cannot_be_loaded_concerns_only_itself(catalog: dict[str, Any]) -> None:
    failures = {Path(item["file_path"]).name: (item["error_type"], item["message"]) for item in catalog["failures"]}
    assert failures["broken.py"] == ("ZeroDivisionError", "division by zero (line 2)")
    assert failures["exits.py"] == ("SystemExit", "3 (line 1)")
    assert failures["typo.py"][0] == "SyntaxError"
    assert failures["spectra.py"] == (
        "BlockRegistrationError",
        f"SpecLoader: the type id 'specloader_block' is taken by SpecLoader of {failures_path(catalog, 'clash.py')}.",
    )


def failures_path(catalog: dict[str, Any], name: str) -> str:
    return str(Path(by_type(catalog)["double_block"]["file_path"]).with_name(name))


def test_load_hands_over_to_the_projects_own_loader_and_types_are_one(parent: Any, project: Path) -> None:
    (project / "blocks" / "clash.py").unlink()
    blocks = by_type(parent.run({"kind": "probe", "project_dir": str(project)}).last)
    loaded = execute(parent, project, blocks["load_data"], {}, path="a.spec", core_type="Spectrum", laser=7.0).last
    assert loaded["type"] == "result", loaded
    wire = loaded["outputs"]["data"]
    assert wire["item_type"] == "Spectrum"
    assert wire["items"][0]["metadata"]["meta"] == {"laser_nm": 7.0}
    doubled = execute(parent, project, blocks["double_block"], {"in": wire}).last
    assert doubled["type"] == "result", doubled
    assert doubled["outputs"]["out"]["items"][0]["metadata"]["type_chain"] == ["DataObject", "Series", "Spectrum"]


def test_a_changed_file_is_run_as_it_is_now(parent: Any, project: Path, catalog: dict[str, Any]) -> None:
    spec = by_type(catalog)["double_block"]
    file = project / "blocks" / "spectra.py"
    file.write_text(LOADER.replace("assert isinstance", "raise KeyError('changed') # "))
    (project / "blocks" / "clash.py").unlink()
    loaded = execute(parent, project, by_type(catalog)["load_data"], {}, path="a.spec", core_type="Spectrum").last
    answer = execute(parent, project, spec, {"in": loaded["outputs"]["data"]})
    assert answer.last["message"] == "KeyError: 'changed' [a.spec]"
    assert not (project / "blocks" / "__pycache__").exists()
    assert [path.name.split("-")[0] for path in (project / ".scistudio" / "cache" / "code").iterdir()] == ["spectra"]

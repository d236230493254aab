from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scistudio_workflow.adapters.catalog_store import Snapshot
from scistudio_workflow.app.workflow_folder import WorkflowFolder
from scistudio_workflow.domain.model import Mode

EXAMPLES = Path(__file__).parents[3] / "examples"
PROBE = """
import json, sys
from scistudio.worker.probe import catalog
json.dump(catalog({"kind": "probe", "project_dir": sys.argv[1]}), sys.stdout)
"""


def described(folder: Path) -> Snapshot:
    """The catalog as the code inside a worker describes it."""
    command = [sys.executable, "-c", PROBE, str(folder)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()
    return Snapshot.of_answer(answer, "")


@pytest.mark.parametrize("name", ["measure-objects", "penguins"])
def test_the_example_projects_can_run_by_what_a_worker_says_of_their_blocks(name: str) -> None:
    catalog = described(EXAMPLES / name).catalog
    folder = WorkflowFolder(EXAMPLES / name)
    file = folder.open(name)
    assert folder.problems(file, folder.flattened(file), catalog, Mode.STRICT) == []
    assert catalog.failures == ()


def test_what_a_worker_says_reaches_every_check(tmp_path: Path) -> None:
    (tmp_path / "blocks").mkdir()
    (tmp_path / "blocks/broken.py").write_text("def (:\n")
    catalog = described(tmp_path).catalog
    load = catalog.find("load_data")
    merge = catalog.find("mergecollection_block")
    assert load is not None
    assert merge is not None
    assert (load.dynamic_ports["source_config_key"], load.direction, load.source) == ("core_type", "input", "builtin")
    assert (merge.min_input_ports, merge.max_input_ports) == (2, 8)
    assert catalog.is_subtype("Series", "DataObject")
    assert any(capability["extensions"] for capability in load.format_capabilities)
    assert [Path(failure.file_path).name for failure in catalog.failures] == ["broken.py"]
    assert json.dumps(load.config_schema)

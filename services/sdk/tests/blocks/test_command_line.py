from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scistudio.__main__ import main


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project.yaml").write_text("project: {}\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_new_blocks_and_types_pass_the_check_and_are_listed(project: Path, capsys: Any) -> None:
    assert main(["new", "block", "smooth image"]) == 0
    assert main(["new", "type", "HeightMap"]) == 0
    assert main(["check"]) == 0
    assert "smooth_image.py: ok" in capsys.readouterr().out
    assert main(["blocks"]) == 0
    out = capsys.readouterr().out
    assert "Smooth image" in out
    assert "Found 7 block(s)" in out


def test_the_list_is_readable_by_programs(project: Path, capsys: Any) -> None:
    (project / "blocks").mkdir()
    (project / "blocks" / "broken.py").write_text("1/0")
    assert main(["blocks", "--json"]) == 0
    captured = capsys.readouterr()
    listed = json.loads(captured.out)
    assert {"load_data", "save_data"} <= {block["type_name"] for block in listed["blocks"]}
    assert listed["failures"][0]["error_type"] == "ZeroDivisionError"
    assert "broken.py: ZeroDivisionError: division by zero (line 1)" in captured.err


def test_a_block_is_listed_by_what_a_workflow_writes_and_shown_with_ports_and_settings(project: Path, capsys: Any) -> None:
    assert main(["blocks"]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("Block type ")
    assert "\nload_data " in listed
    assert "a share of them," not in listed  # cut at a word, with a mark
    assert main(["blocks", "save_data"]) == 0
    page = capsys.readouterr().out
    for line in (
        "save_data: Save\n",
        "Inputs:\n  data: DataObject",
        "Outputs:\n  path: Text, optional",
        "\n  path: string",
        "  overwrite: boolean; default false",
    ):
        assert line in page
    assert main(["blocks", "save_dat"]) == 1
    assert "Did you mean 'save_data'?" in capsys.readouterr().err


def test_a_taken_or_impossible_name_changes_nothing(project: Path, capsys: Any) -> None:
    assert main(["new", "block", "smooth"]) == 0
    (project / "blocks" / "smooth.py").write_text("mine")
    assert main(["new", "block", "Smooth"]) == 1
    assert (project / "blocks" / "smooth.py").read_text() == "mine"
    assert main(["new", "block", "1"]) == 1
    assert main(["new", "type", "json"]) == 1
    assert main(["check", "nowhere.py"]) == 1
    assert "exists already" in capsys.readouterr().err


def test_a_check_says_what_is_wrong_and_where(project: Path, capsys: Any) -> None:
    (project / "blocks").mkdir()
    (project / "blocks" / "typo.py").write_text("def f(:\n")
    (project / "blocks" / "empty.py").write_text("x = 1\n")
    (project / "blocks" / "nameless.py").write_text(
        "from scistudio.blocks.base import Block\nclass B(Block):\n    start_method = 'x'\n    def run(self, inputs, config): ...\n"
    )
    assert main(["check", "blocks"]) == 1
    out = capsys.readouterr().out
    assert "SyntaxError: invalid syntax (line 1)" in out
    assert "It defines no block that can be made" in out
    assert "B: B must set a name." in out
    assert "B: B.start_method must be one of" in out


def test_the_tests_of_a_new_package_pass(project: Path, capsys: Any) -> None:
    assert main(["init-block-package", "scistudio-blocks-lab", "--author", "A. N. 'Other\"", "--display-name", "Our lab"]) == 0
    assert main(["init-block-package", "scistudio-blocks-lab"]) == 1
    folder = project / "scistudio-blocks-lab"
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert "2 passed" in ran.stdout


def test_the_command_runs_as_a_module_and_explains_itself(project: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "scistudio", *arguments], capture_output=True, text=True, env=dict(os.environ))

    assert run("--version").stdout.startswith("scistudio 0.")
    assert run("blocks").returncode == 0
    assert run("nonsense").returncode == 2

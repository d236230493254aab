"""What the documentation shows is what works: its examples are written into a project and run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Home

EXAMPLE = re.compile(r"^```(?:python|yaml)\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LAKES = "name;depth\nZürichsee;136,0\nBodensee;251,0\nChiemsee;\nAmmersee;81,1\n"


def write_examples(page: Path, project: Path) -> list[str]:
    """Write each example that begins with its file's name into the project."""
    examples = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    for name, text in examples:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    (project / "data" / "raw" / "lakes.csv").write_text(LAKES, encoding="utf-8")
    return [name for name, _ in examples]


@pytest.mark.parametrize("page", ["README.md", "docs/block-author-guide.md"])
def test_the_examples_of_a_page_run_as_they_stand(home: Home, page: str) -> None:
    assert home.scistudio("init", "lakes").returncode == 0
    project = home.folder / "lakes"
    names = write_examples(ROOT / page, project)
    assert home.scistudio("check", cwd=project).returncode == 0
    for name in names:
        if name.startswith("workflows/"):
            answer = home.scistudio("run", project / name)
            assert answer.returncode == 0, answer.stdout + answer.stderr
    assert any(name.startswith("workflows/") for name in names)
    assert list((project / "data" / "processed").iterdir())


def test_the_guides_tests_of_a_block_pass(home: Home) -> None:
    assert home.scistudio("init", "lakes").returncode == 0
    project = home.folder / "lakes"
    write_examples(ROOT / "docs" / "block-author-guide.md", project)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    ran = subprocess.run(command, cwd=project, env=home.env, capture_output=True, text=True, timeout=60, check=False)
    assert "3 passed" in ran.stdout, ran.stdout


@pytest.mark.parametrize("page", sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]))
def test_links_between_pages_lead_somewhere(page: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert [target for target in targets if not ((ROOT / page).parent / target).exists()] == []

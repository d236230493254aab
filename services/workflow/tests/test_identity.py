from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_workflow.domain.identity import identity_of, path_of
from scistudio_workflow.domain.paths import inside
from scistudio_workflow.errors import PathRefused

parts = st.text(st.sampled_from("abc@%2540. ."), min_size=1, max_size=8).filter(lambda part: part not in (".", ".."))
paths = st.builds("/".join, st.lists(parts | st.just("workflows"), min_size=1, max_size=4)).map(
    lambda path: path + ".yaml"
) | st.sampled_from(["workflows/...yaml", "workflows/..yaml", "workflows/.yaml", "workflows/@x.yaml", "workflows/a.yml"])

EXAMPLES = [
    ("workflows/main.yaml", "main"),
    ("workflows/a b.yaml", "a b"),
    ("subworkflows/qc.yaml", "@subworkflows@qc.yaml"),
    ("workflows/a.yml", "@workflows@a.yml"),
    ("workflows/@x.yaml", "@workflows@%40x.yaml"),
    ("workflows/deep/a.yaml", "@workflows@deep@a.yaml"),
    ("100%/a@b.yaml", "@100%25@a%40b.yaml"),
    ("main.yaml", "@main.yaml"),
]


@pytest.mark.parametrize(("path", "identity"), EXAMPLES)
def test_an_identity_follows_from_the_file_and_leads_back_to_it(path: str, identity: str) -> None:
    assert identity_of(path) == identity
    assert path_of(identity) == path


@given(paths, paths)
def test_no_two_files_share_an_identity(one: str, other: str) -> None:
    assert path_of(identity_of(one)) == one
    assert (identity_of(one) == identity_of(other)) == (one == other)


@given(paths)
def test_an_identity_is_one_safe_path_segment(path: str) -> None:
    identity = identity_of(path)
    assert "/" not in identity
    assert identity not in ("", ".", "..")


REFUSED = [
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../x",
    "..\\windows",
    "x#/../../etc",
    "x?y=../..",
    "a\0b",
    "a\nb",
    "",
    " ",
    ".",
    "a/..",
    "x" * 300,
    "/".join(["x" * 200] * 30),
]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_leaves_the_project_is_refused(path: str) -> None:
    with pytest.raises(PathRefused, match="The path") as refused:
        inside(path)
    assert "inside the project folder" in refused.value.hint


@pytest.mark.parametrize(
    ("path", "short"), [("a//b/./c.yaml", "a/b/c.yaml"), ("-rf.csv", "-rf.csv"), ("Ångström (α).csv", "Ångström (α).csv")]
)
def test_a_path_inside_is_returned_in_its_shortest_form(path: str, short: str) -> None:
    assert inside(path) == short

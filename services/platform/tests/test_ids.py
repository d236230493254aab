"""Identifiers and the tokens of NATS subjects."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from scistudio_platform.ids import new_id, subject_token


def test_ids_sort_by_age() -> None:
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 1000


@given(st.text(), st.text())
def test_a_subject_token_holds_no_wildcards_and_different_texts_stay_different(one: str, other: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_=-]+", subject_token(one))
    assert (subject_token(one) == subject_token(other)) == (one == other)

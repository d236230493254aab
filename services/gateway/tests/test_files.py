"""Files: whole, piece by piece, and never a page of somebody else's making."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

ReadAnswer = Callable[..., list[Any]]
FILE = "/projects/p/runs/r/nodes/n/outputs/figure/0/file"


@pytest.mark.parametrize(
    ("media_type", "disposition"),
    [
        ("image/png", "inline"),
        ("image/svg+xml", "inline"),
        ("text/plain; charset=latin-1", "inline"),
        ("text/html", "attachment"),
        ("application/xhtml+xml", "attachment"),
        ("", "attachment"),
    ],
)
async def test_a_page_that_a_block_wrote_never_runs_as_ours(
    http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer, media_type: str, disposition: str
) -> None:
    others.panels.answers["Read"] = read_answer({}, [b"<svg onload=steal()>"], media_type)
    answer = await http.get(FILE)
    assert answer.headers["content-disposition"] == disposition
    assert answer.headers["content-type"] == (media_type or "application/octet-stream")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


async def test_a_pdf_is_shown_by_the_browsers_own_viewer(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    others.panels.answers["Read"] = read_answer({"file_name": "Übersicht 1.pdf"}, [b"%PDF"], "application/pdf")
    answer = await http.get(FILE)
    assert answer.headers["content-security-policy"] == "frame-ancestors 'self'"
    assert answer.headers["content-disposition"] == "inline; filename*=UTF-8''%C3%9Cbersicht%201.pdf"


async def test_a_long_file_comes_whole_in_pieces(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    content = bytes(range(256)) * 40_000  # 10 MB

    def piece(request: Any) -> list[Any]:
        found = content[request.file.offset : request.file.offset + request.file.limit]
        metadata = {"total_bytes": len(content), "offset": request.file.offset, "truncated": True, "file_name": "a.bin"}
        return read_answer(metadata, [found[start : start + 262_144] for start in range(0, len(found), 262_144)], "application/x-odd")

    others.panels.answers["Read"] = piece
    answer = await http.get(FILE)
    assert answer.content == content
    assert answer.headers["content-length"] == str(len(content))
    assert json.loads(answer.headers["scistudio-data"])["truncated"] is False
    assert len(others.panels.requests["Read"]) == 3


async def test_a_file_that_shrinks_is_not_taken_for_a_whole_one(http: httpx2.AsyncClient, others: Any, read_answer: ReadAnswer) -> None:
    others.panels.answers["Read"] = lambda request: read_answer({"total_bytes": 9}, [] if request.file.offset else [b"half"], "x/y")
    with pytest.raises(httpx2.RemoteProtocolError):
        await http.get(FILE)

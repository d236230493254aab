from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_platform.events.block import BlockExecuted, BlockProgressed, BlockStateChanged, ErrorInfo
from scistudio_platform.events.model import Event, Scope, UndecodableEvent, decode, encode, subject_of
from scistudio_platform.events.project import ProjectOpened
from scistudio_platform.events.registry import event_types
from scistudio_platform.events.run import RunStarted
from scistudio_platform.events.streams import Cursor

SCOPE = Scope(project="p1", workflow="main", run="r1", node="load", execution="x1")
DONE = encode(Event(scope=SCOPE, data=BlockStateChanged(state="done")))
plain = st.text(st.characters(codec="utf-8"), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | plain, st.lists, max_leaves=5
)


@given(st.dictionaries(plain, values), plain, st.integers(0, 2**64))
def test_an_event_is_read_as_it_was_written(config: dict[str, Any], message: str, seed: int) -> None:
    error = ErrorInfo(code="x", message=message)
    event = Event(scope=SCOPE, data=BlockExecuted(block_type="Load", config=config, state="error", error=error, seed=seed))
    assert decode(encode(event), None, event_types()) == event


def test_the_stored_form_is_the_one_that_clients_know() -> None:
    event = Event(scope=Scope(project="p1"), data=ProjectOpened(path="/p", name="n"), id="i")
    expected = '{"id":"i","type":"project.opened","time":"%s","project":"p1","workflow":null,"run":null,"node":null,"execution":null,'
    time = event.time.isoformat(timespec="microseconds")
    assert encode(event).decode() == expected % time + '"data":{"path":"/p","name":"n"}}'


def test_numbers_that_json_does_not_know_can_be_told_apart() -> None:
    data = BlockExecuted(block_type="Load", state="done", config={"a": math.nan, "b": -math.inf}, duration_s=math.inf)
    encoded = encode(Event(scope=SCOPE, data=data))
    read = decode(encoded, None, event_types()).data
    assert isinstance(read, BlockExecuted)
    assert (read.config, read.duration_s) == ({"a": "NaN", "b": "-Infinity"}, math.inf)


def test_fields_of_later_versions_are_ignored() -> None:
    encoded = encode(Event(scope=SCOPE, data=BlockProgressed(fraction=0.5)))
    later = encoded.replace(b'"fraction"', b'"invented":{"later":1},"fraction"').replace(b'"node"', b'"also":1,"node"')
    assert decode(later, None, event_types()).data == BlockProgressed(fraction=0.5)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\xff\x00", "Invalid JSON"),
        (b"[]", "object"),
        (b'{"id": "1"}', "type: Field required"),
        (
            encode(Event(scope=SCOPE, data=BlockProgressed())).replace(b"block.progressed", b"block.invented"),
            "unknown type 'block.invented'",
        ),
        (encode(Event(scope=SCOPE, data=BlockStateChanged(state="done"))).replace(b'"done"', b'"melted"'), "state: Input should be"),
    ],
)
def test_what_cannot_be_read_says_why(payload: bytes, reason: str) -> None:
    with pytest.raises(UndecodableEvent, match=reason):
        decode(payload, None, event_types())


def test_trace_context_comes_from_the_headers_however_they_are_spelled() -> None:
    event = Event(scope=SCOPE, data=BlockProgressed())
    assert decode(encode(event), {"Traceparent": "00-1", "Nats-Msg-Id": "x"}, event_types()).trace_context == {"traceparent": "00-1"}


def test_ids_with_dots_and_wildcards_stay_one_token() -> None:
    event = Event(scope=Scope(project="a.b *", node="x>y"), data=BlockStateChanged(state="done"))
    assert subject_of(event) == "scistudio.events.a=2Eb=20=2A.block.x=3Ey"
    assert subject_of(Event(scope=SCOPE, data=RunStarted(workflow_id="main"))) == "scistudio.events.p1.run.r1"


@pytest.mark.parametrize("text", ["", "abc", "abc:", ":5", "abc:-1", "abc:1.5", "abc:٣"])
def test_a_text_that_is_no_cursor_is_none(text: str) -> None:
    assert Cursor.parse(text) is None
    assert Cursor.parse(str(Cursor("abc", 12))) == Cursor("abc", 12)

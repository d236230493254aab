from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from scistudio.core.types.serialization import reconstruct_value


def wire_text(text: str) -> dict[str, Any]:
    """Return the wire form of a one-item Collection of Text, as a port carries it."""
    metadata = {"type_chain": ["DataObject", "Text"], "framework": {}, "meta": None, "user": {}, "content": text, "format": "plain"}
    item = {"backend": None, "path": None, "format": None, "metadata": metadata}
    return {"_collection": True, "items": [item], "item_type": "Text"}


def text_of(answer: Any, port: str = "out") -> str:
    assert answer.last["type"] == "result", answer.last
    return str(reconstruct_value(answer.last["outputs"][port])[0].to_memory())


def test_a_block_gets_its_inputs_and_its_outputs_are_stored(parent: Any, request_for: Any, tmp_path: Path) -> None:
    answer = parent.run(request_for("Upper", {"text": wire_text("hello")}))
    assert text_of(answer, "text") == "HELLO"
    assert [message["type"] for message in answer.messages] == ["started", "result"]
    item = answer.last["outputs"]["text"]["items"][0]
    assert Path(item["path"]).read_text() == "HELLO"
    assert Path(item["path"]).parent == tmp_path / "data" / "zarr" / "wf" / "node"
    assert answer.exit_code == 0
    assert answer.last["wire_version"] == 1


def test_an_answer_says_what_it_took_and_where_it_ran(parent: Any, request_for: Any) -> None:
    last = parent.run(request_for("Upper", {"text": wire_text("a")})).last
    assert set(last["timings"]) == {"import_s", "load_s", "run_s", "save_s"}
    assert last["peak_memory_bytes"] > 10_000_000
    assert last["cpu_time_s"] > 0
    assert last["environment"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert last["environment"]["scistudio"]
    assert {"numpy", "pyarrow", "zarr"} <= last["environment"]["packages"].keys()
    assert len(last["environment"]["block"]["sha256"]) == 64


def test_a_child_imports_nothing_for_a_text_block(parent: Any, request_for: Any) -> None:
    loaded = set(ast.literal_eval(text_of(parent.run(request_for("Loaded")))))
    assert {name for name in loaded - parent.modules if not name.startswith("_scistudio_dropin")} == set()


def test_the_parent_that_forks_has_one_task(parent: Any) -> None:
    assert parent.n_tasks == 1


def test_a_block_runs_in_the_project_with_its_variables_and_keys(parent: Any, request_for: Any, tmp_path: Path) -> None:
    where = ast.literal_eval(text_of(parent.run(request_for("Where"))))
    assert where == [str(tmp_path), str(tmp_path), "1", "n1", "wf", "r1", str(tmp_path), ""]


def test_more_cores_reach_the_numeric_libraries(parent: Any, request_for: Any) -> None:
    where = ast.literal_eval(text_of(parent.run({**request_for("Where"), "cpu_cores": 2})))
    assert where[2] == "2"


def test_the_recorded_seed_decides_about_random_numbers(parent: Any, request_for: Any) -> None:
    draws = [text_of(parent.run({**request_for("Draws"), "seed": seed})) for seed in (1, 1, 2)]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


def test_schema_defaults_are_filled_in(parent: Any, request_for: Any) -> None:
    assert text_of(parent.run(request_for("TextSource"))) == "filled in"
    assert text_of(parent.run(request_for("TextSource", params={"value": "set"}))) == "set"


def test_everything_that_is_printed_comes_out(parent: Any, request_for: Any) -> None:
    answer = parent.run(request_for("Prints"))
    for text in ("from python", "from the descriptor", "from C", "INFO sample: from logging", "UserWarning: look here"):
        assert text in answer.log
    assert answer.last["warnings"][0].startswith("UserWarning: look here (sample_blocks.py:")


def test_progress_is_told_and_a_block_that_polls_stops(parent: Any, request_for: Any) -> None:
    answer = parent.run(request_for("Polls"), cancel_at="running")
    assert {"type": "progress", "fraction": 0.1, "message": "running"} in answer.messages
    assert answer.last == {"type": "result", "final_state": "cancelled"}
    assert answer.exit_code == 0


def test_a_block_that_is_terminated_can_tidy_up(parent: Any, request_for: Any) -> None:
    answer = parent.run(request_for("Tidies"))
    assert "tidied" in answer.log
    assert answer.last == {"type": "result", "final_state": "cancelled"}


def test_scratch_is_deleted_but_an_artifact_in_it_is_kept(parent: Any, request_for: Any, tmp_path: Path) -> None:
    answer = parent.run(request_for("Scratch"))
    kept = Path(answer.last["outputs"]["out"]["items"][0]["metadata"]["file_path"])
    assert kept.name == "report.pdf"
    assert kept.read_bytes() == b"%PDF"
    assert not (tmp_path / ".scistudio" / "tmp" / "e1").exists()


def test_tables_travel_by_reference(parent: Any, request_for: Any) -> None:
    made = parent.run(request_for("Table")).last["outputs"]["out"]
    assert text_of(parent.run(request_for("Sizes", {"table": made}))) == "3"


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [
        ("value", "block.raised", "ValueError: sigma must be positive"),
        ("exit", "block.exited", "The block ended its process (SystemExit: 0) instead of returning outputs."),
        ("mute", "block.raised", "Mute: (its text cannot be shown: __str__ raised KeyError)"),
        ("memory", "block.out_of_memory", "MemoryError"),
        ("full", "storage.full", "OSError: [Errno 28] No space left on device"),
        ("list", "block.output_invalid", "Raises.run must return a dict of outputs by port name, but returned list."),
        ("nothing", "block.output_missing", "Required output port 'out' was not produced by the block."),
        ("type", "block.output_type", "Output port 'out' takes Text, but the block returned Array."),
        ("number", "block.output_type", "Output port 'out' takes Text, but the block returned int."),
        ("hollow", "block.output_invalid", "Output port 'out', item 0: the Text holds no data to store."),
    ],
)
def test_what_a_block_does_wrong_is_said(parent: Any, request_for: Any, how: str, code: str, message: str) -> None:
    answer = parent.run(request_for("Raises", how=how))
    assert (answer.last["code"], answer.last["message"]) == (code, message)
    assert answer.last["subject"].startswith("node/n1")
    assert answer.last["hint"]
    assert answer.exit_code == 1


def test_a_traceback_begins_in_the_block_and_names_its_line(parent: Any, request_for: Any) -> None:
    last = parent.run(request_for("Raises", how="value")).last
    assert "sample_blocks.py" in last["traceback"].splitlines()[1]
    assert 'raise ValueError("sigma must be positive")' in last["traceback"]
    assert "scistudio/worker" not in last["traceback"]
    assert "sample_blocks.py, line " in last["hint"]


def test_what_a_built_in_block_refuses_is_said_without_its_inside(parent: Any, request_for: Any, tmp_path: Path) -> None:
    load = {"block_class": "scistudio.blocks.io.loaders.load_data:LoadData", "block_file_path": None}
    empty = tmp_path / "empty.csv"
    empty.touch()
    for path, said in ((tmp_path / "no.csv", "LoadData: dataframe source not found"), (empty, f"{empty} is empty")):
        last = parent.run({**request_for("TextSource", path=str(path), core_type="DataFrame"), **load}).last
        assert last["message"].startswith(said)
        assert (last["code"], last["traceback"], last["hint"]) == ("block.raised", "", "")


@pytest.mark.parametrize(("gives", "said"), [("table", "a pyarrow Table"), ("none", "nothing (None)"), ("raises", "AttributeError: ")])
def test_what_process_item_does_wrong_is_said_in_the_authors_terms(parent: Any, request_for: Any, gives: str, said: str) -> None:
    made = parent.run(request_for("Table")).last["outputs"]["out"]
    last = parent.run(request_for("Gives", {"table": made}, gives=gives)).last
    assert said in last["message"]
    assert "process_block.py" not in last["traceback"] + last["hint"]
    assert ("sample_blocks.py" in last["traceback"]) == (gives == "raises")


def test_a_missing_field_stops_before_the_run(parent: Any, request_for: Any) -> None:
    last = parent.run(request_for("Raises")).last
    assert last["code"] == "block.config_missing"
    assert last["message"] == "Block 'n1' config is missing required field(s): how"


def test_an_input_that_does_not_fit_is_refused_by_its_port(parent: Any, request_for: Any) -> None:
    last = parent.run(request_for("Upper")).last
    assert (last["code"], last["message"]) == ("block.invalid_input", "Required input port 'text' is missing.")
    table = parent.run(request_for("Table")).last["outputs"]["out"]
    last = parent.run(request_for("Upper", {"text": table})).last
    assert last["code"] == "block.invalid_input"
    assert last["message"] == "Port 'text': Collection item type DataFrame not compatible with ['Text']"


def test_a_lost_input_names_port_and_reference(parent: Any, request_for: Any) -> None:
    made = parent.run(request_for("Table")).last["outputs"]["out"]
    path = Path(made["items"][0]["path"])
    path.unlink()
    last = parent.run(request_for("Sizes", {"table": made})).last
    assert last["code"] == "storage.missing"
    assert last["subject"] == "node/n1/port/table"
    assert str(path) in last["message"]


def test_an_output_that_cannot_be_stored_names_its_port(parent: Any, request_for: Any) -> None:
    last = parent.run(request_for("Raises", how="unstorable")).last
    assert last["code"] == "block.output_invalid"
    assert "got list" in last["message"]
    assert last["message"].endswith("[output port 'more', item 0]")


def test_a_file_that_is_gone_names_its_port(parent: Any, request_for: Any, tmp_path: Path) -> None:
    made = parent.run(request_for("Scratch")).last["outputs"]["out"]
    assert text_of(parent.run(request_for("Reads", {"file": made}))) == "4"
    Path(made["items"][0]["metadata"]["file_path"]).unlink()
    last = parent.run(request_for("Reads", {"file": made})).last
    assert (last["code"], last["subject"]) == ("storage.missing", "node/n1/port/file")


def test_an_empty_list_is_an_empty_collection_of_the_ports_type(parent: Any, request_for: Any) -> None:
    assert parent.run(request_for("Raises", how="empty")).last["outputs"]["out"] == {
        "_collection": True,
        "items": [],
        "item_type": "Text",
    }


def test_outputs_beyond_the_ports_pass_as_strict_json(parent: Any, request_for: Any) -> None:
    outputs = parent.run(request_for("Raises", how="nowhere")).last["outputs"]
    assert outputs["extra"] == {"pixel": "NaN"}
    json.dumps(outputs, allow_nan=False)


def test_code_that_is_not_there_is_not_found(parent: Any, request_for: Any, tmp_path: Path) -> None:
    cases = [
        request_for("NoSuch"),
        {**request_for("X"), "block_file_path": str(tmp_path / "gone.py")},
        {**request_for("no_such_package.blocks:X"), "block_file_path": ""},
    ]
    assert [parent.run(case).last["code"] for case in cases] == ["block.not_found"] * 3


def test_code_that_cannot_be_imported_says_where(parent: Any, request_for: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_library\n")
    last = parent.run({**request_for("X"), "block_file_path": str(tmp_path / "broken.py")}).last
    assert last["code"] == "block.import_failed"
    assert last["message"] == "ModuleNotFoundError: No module named 'no_such_library'"
    (tmp_path / "typo.py").write_text("def (:\n")
    last = parent.run({**request_for("X"), "block_file_path": str(tmp_path / "typo.py")}).last
    assert last["code"] == "block.import_failed"
    assert last["hint"] == f"See {tmp_path / 'typo.py'}, line 1."


def test_a_pool_of_processes_keeps_the_order_and_may_use_stored_arrays(parent: Any, request_for: Any) -> None:
    answer = parent.run(request_for("Parallel"))
    assert answer.last["type"] == "result", answer.last
    images = reconstruct_value(answer.last["outputs"]["out"])
    assert [int(image.to_numpy().max()) for image in images] == [0, 2, 4, 6]

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scistudio_platform.ids import NodeId
from scistudio_scheduler.domain.effects import Acknowledge, Announce, AnnounceRun, Effect, Record, Start, Stop
from scistudio_scheduler.domain.plan import Plan
from scistudio_scheduler.domain.records import Fault
from scistudio_scheduler.domain.run import NODE_CANCELLED, RUN_CANCELLED, RUN_FAILED, Run
from scistudio_scheduler.domain.states import TERMINAL, TRANSITIONS, BlockState, RunState
from scistudio_scheduler.errors import InvalidTransition, NodeNotFound

from .strategies import LOST, NOW, ending, execution, new_run, plan_of, plans

DONE, ERROR, CANCELLED, SKIPPED = BlockState.DONE, BlockState.ERROR, BlockState.CANCELLED, BlockState.SKIPPED
OUTCOMES = st.sampled_from([DONE, DONE, ERROR, CANCELLED])


def dispatch(run: Run, node: NodeId) -> list[Effect]:
    return run.dispatched(node, execution(node), 7, NOW)


def end(run: Run, node: str, outcome: BlockState, ports: tuple[str, ...] = ("out",)) -> list[Effect]:
    return run.finish(NodeId(node), run.nodes[NodeId(node)].execution_id, ending(outcome, ports), NOW)


def states(run: Run) -> dict[str, str]:
    return {node: record.state.value for node, record in run.nodes.items()}


def started(plan: Plan) -> Run:
    """A run with all ready nodes dispatched."""
    run = new_run(plan)
    run.begin(NOW)
    for node in run.ready():
        dispatch(run, node)
    return run


def step(run: Run, data: st.DataObject) -> list[Effect]:
    """Dispatch or finish any node that can be."""
    node = data.draw(st.sampled_from(run.ready() + run.running()))
    if run.nodes[node].state is BlockState.READY:
        return dispatch(run, node)
    outcome = data.draw(OUTCOMES)
    return end(run, node, outcome, ports=data.draw(st.sampled_from([("out",), ()])))


def play(run: Run, data: st.DataObject) -> list[Effect]:
    """Go on in any order until the run ends."""
    effects = run.begin(NOW)
    while not run.ended:
        effects += step(run, data)
    return effects


@given(plans(), st.data())
def test_every_block_ends_exactly_once_in_any_order_of_completion(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    effects = play(run, data)
    endings = Counter(effect.node for effect in effects if isinstance(effect, Announce) and effect.record.state in TERMINAL)
    assert endings == Counter(plan.graph.nodes)
    assert [effect.state for effect in effects if isinstance(effect, AnnounceRun)][-1:] == [run.state]


@given(plans(), st.data())
def test_nothing_runs_without_a_required_input_and_only_that_is_skipped(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    play(run, data)
    for node, record in run.nodes.items():
        missing = [
            edge for edge in plan.graph.inputs(node) if plan.graph.is_required(edge) and edge.target_port not in run.input_values(node)
        ]
        assert (record.state is SKIPPED) == bool(missing)
        assert bool(record.execution_id) != bool(missing)


@given(plans(), st.data())
def test_no_block_starts_before_its_predecessors_have_ended(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    ended: set[str] = set()
    for effect in play(run, data):
        if isinstance(effect, Start):
            assert {edge.source_node for edge in plan.graph.inputs(effect.node)} <= ended
        elif isinstance(effect, Announce) and effect.record.state in TERMINAL:
            ended.add(effect.node)


@given(plans(), st.data())
def test_every_announced_change_follows_the_table(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    last: dict[str, BlockState] = {}
    for effect in play(run, data):
        if isinstance(effect, Announce):
            assert effect.record.state in TRANSITIONS[last.get(effect.node, BlockState.IDLE)]
            last[effect.node] = effect.record.state


@given(plans(), st.data(), st.integers(0, 20))
def test_a_cancelled_run_starts_nothing_more_and_ends(plan: Plan, data: st.DataObject, after: int) -> None:
    run = new_run(plan)
    run.begin(NOW)
    while not run.ended and after > 0:
        step(run, data)
        after -= 1
    was_over = run.ended
    done = {node for node, record in run.nodes.items() if record.state in TERMINAL}
    running = run.running()
    effects = run.cancel("enough", NOW)
    assert {effect.node for effect in effects if isinstance(effect, Stop)} == set(running)
    for node in running:
        effects += end(run, node, data.draw(OUTCOMES))
    assert run.ended
    assert not any(isinstance(effect, Start) for effect in effects)
    if not was_over:
        assert run.state is RunState.CANCELLED
        assert all(run.nodes[node].state in (CANCELLED, SKIPPED) for node in plan.graph.nodes if node not in done)


@given(plans(), st.data())
def test_cancelling_any_node_at_any_time_ends_it_and_leaves_independent_branches(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    run.begin(NOW)
    if not plan.nodes:
        return
    victim = data.draw(st.sampled_from(plan.graph.nodes))
    for _ in range(data.draw(st.integers(0, 10))):
        if not run.ended:
            step(run, data)
    before = run.nodes[victim].state
    run.cancel_node(victim, "not needed", NOW)
    while not run.ended:
        step(run, data)
    if before in TERMINAL:
        assert run.nodes[victim].state is before
    else:
        assert run.nodes[victim].state in (CANCELLED, SKIPPED)
    skipped = [node for node, record in run.nodes.items() if record.state is SKIPPED and record.reason != NODE_CANCELLED]
    assert all(any(plan.graph.is_required(edge) for edge in plan.graph.inputs(node)) for node in skipped)


@given(plans(), st.data())
def test_a_failed_run_ends_everything_at_once(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    run.begin(NOW)
    if run.ended:
        return
    step(run, data)
    waiting = [node for node, record in run.nodes.items() if record.state not in TERMINAL]
    effects = run.fail(Fault("runner.unavailable", "The runner is gone."), NOW)
    if waiting:
        assert run.state is RunState.FAILED
        assert run.reason == "The runner is gone."
    assert run.ended
    assert {run.nodes[node].state for node in waiting} <= {ERROR, SKIPPED}
    assert {effect.node for effect in effects if isinstance(effect, Stop)} == {n for n in waiting if run.nodes[n].state is ERROR}
    assert {run.nodes[n].reason for n in waiting if run.nodes[n].state is SKIPPED} <= {RUN_FAILED}


@given(plans(), st.data())
def test_a_decision_on_a_draft_leaves_the_run_as_it_was(plan: Plan, data: st.DataObject) -> None:
    run = new_run(plan)
    before = (states(run), run.state)
    play(run.copy(), data)
    assert (states(run), run.state) == before


DIAMOND = plan_of(
    [("load", "left", True), ("load", "right", True), ("left", "join", True), ("right", "join", False)], ["load", "left", "right", "join"]
)


def test_ready_blocks_of_parallel_branches_are_ready_together() -> None:
    run = started(DIAMOND)
    end(run, "load", DONE)
    assert run.ready() == ["left", "right"]


def test_a_missing_optional_input_does_not_keep_a_block_from_running() -> None:
    run = started(DIAMOND)
    end(run, "load", DONE)
    dispatch(run, NodeId("left"))
    dispatch(run, NodeId("right"))
    end(run, "right", ERROR)
    end(run, "left", DONE)
    assert run.ready() == ["join"]
    assert set(run.input_values(NodeId("join"))) == {"from_left"}


def test_a_block_whose_required_input_failed_is_skipped_with_its_cause() -> None:
    run = started(DIAMOND)
    end(run, "load", ERROR)
    assert states(run) == {"load": "error", "left": "skipped", "right": "skipped", "join": "skipped"}
    assert run.nodes[NodeId("left")].reason == "input from_load is missing: it comes from load, which ended as error"
    assert (run.state, run.reason) == (RunState.FAILED, "failed: load")


def test_continue_on_failure_changes_only_the_name_of_the_result() -> None:
    edges, nodes = [("a", "b", True)], ["a", "b", "c"]
    runs = [started(plan_of(edges, nodes, continue_on_failure=lenient)) for lenient in (False, True)]
    for run in runs:
        end(run, "a", ERROR)
        end(run, "c", DONE)
    assert states(runs[0]) == states(runs[1])
    assert [run.state for run in runs] == [RunState.FAILED, RunState.COMPLETED_WITH_FAILURES]


def test_a_workflow_without_nodes_is_completed() -> None:
    run = new_run(plan_of([], []))
    assert run.begin(NOW) == [AnnounceRun(RunState.COMPLETED, "")]
    assert run.ended_at == NOW


def test_a_run_is_queued_until_something_is_dispatched() -> None:
    run = new_run(DIAMOND)
    run.begin(NOW)
    assert run.state is RunState.QUEUED
    assert AnnounceRun(RunState.RUNNING, "") in dispatch(run, NodeId("load"))


def test_a_run_cancelled_while_queued_skips_all_its_blocks() -> None:
    run = new_run(DIAMOND)
    run.begin(NOW)
    run.cancel("enough", NOW)
    assert {record.reason for record in run.nodes.values()} == {RUN_CANCELLED}
    assert (run.state, run.reason) == (RunState.CANCELLED, "enough")


def test_cancelling_twice_changes_nothing_more() -> None:
    run = started(DIAMOND)
    run.cancel("enough", NOW)
    assert run.cancel("again", NOW) == []
    assert run.cancel_node(NodeId("load"), "again", NOW) == []
    end(run, "load", CANCELLED)
    assert run.reason == "enough"
    assert run.nodes[NodeId("load")].reason == "enough"


def test_a_result_that_comes_after_the_cancel_is_not_done() -> None:
    run = started(DIAMOND)
    run.cancel_node(NodeId("load"), "wrong file", NOW)
    end(run, "load", DONE)
    assert run.nodes[NodeId("load")].state is CANCELLED
    assert run.nodes[NodeId("load")].outputs == {}
    assert run.state is RunState.CANCELLED


def test_a_late_or_repeated_answer_is_only_acknowledged() -> None:
    run = started(DIAMOND)
    end(run, "load", DONE)
    assert run.finish(NodeId("load"), execution("load"), ending(ERROR), NOW) == [Acknowledge(execution("load"))]
    assert run.nodes[NodeId("load")].state is DONE


def test_a_lost_worker_gives_a_new_attempt_until_the_budget_is_spent() -> None:
    run = started(plan_of([], ["a"]))
    lost = ending(ERROR)
    effects = run.lose(NodeId("a"), execution("a"), lost, retry_as=execution("a", 2), attempts=2, at=NOW)
    assert Start(NodeId("a"), execution("a", 2)) in effects
    assert [effect.record.execution_id for effect in effects if isinstance(effect, Record)] == [execution("a")]
    assert run.nodes[NodeId("a")].seed == 7
    run.lose(NodeId("a"), execution("a", 2), lost, retry_as=execution("a", 3), attempts=2, at=NOW)
    assert run.nodes[NodeId("a")].state is ERROR
    assert run.nodes[NodeId("a")].execution_id == execution("a", 2)


def test_a_worker_lost_while_it_was_being_stopped_is_not_tried_again() -> None:
    run = started(plan_of([], ["a"]))
    run.cancel("enough", NOW)
    run.lose(NodeId("a"), execution("a"), ending(ERROR), retry_as=execution("a", 2), attempts=9, at=NOW)
    assert run.nodes[NodeId("a")].state is CANCELLED


def test_a_node_that_cannot_be_run_at_all_is_an_error_and_the_rest_goes_on() -> None:
    run = new_run(plan_of([("a", "b", True)], ["a", "b", "c"]))
    run.begin(NOW)
    run.refuse(NodeId("a"), LOST, NOW)
    assert states(run) == {"a": "error", "b": "skipped", "c": "ready"}


def test_an_unknown_node_is_named() -> None:
    with pytest.raises(NodeNotFound, match="no node nope"):
        started(DIAMOND).cancel_node(NodeId("nope"), "", NOW)


def test_a_step_that_the_table_does_not_allow_is_refused() -> None:
    run = started(DIAMOND)
    with pytest.raises(InvalidTransition, match="from running to running"):
        dispatch(run, NodeId("load"))

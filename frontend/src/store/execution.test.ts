import { describe, expect, it } from "vitest";
import { create } from "zustand";
import type { RunEvent } from "../api/events";
import type { BlockState, NodeRun, Run, RunState } from "../api/types";
import { createExecutionSlice, mergeSnapshot, reduceRun, type ExecutionSlice } from "./executionSlice";
import type { RunStatus } from "./runStatus";

const SCOPE = { time: "2026-12-01T10:00:00Z", project: "p", workflow: "w", run: "r", node: null, execution: null };
const EMPTY: RunStatus = { state: "queued", reason: "", blocks: {} };

const started: RunEvent = {
  ...SCOPE,
  type: "run.started",
  data: { workflow_id: "w", workflow_path: "", triggered_by: "user", nodes: ["a", "b"].map((id) => ({ id, block_type: "t" })) },
};
const block = (node: string, state: BlockState, data = {}): RunEvent => ({
  ...SCOPE,
  node,
  type: "block.state_changed",
  data: { state, ...data },
});
const runState = (state: RunState): RunEvent => ({ ...SCOPE, type: "run.state_changed", data: { state } });
const replay = (...events: RunEvent[]) => events.reduce(reduceRun, EMPTY);
const states = (run: RunStatus) => Object.fromEntries(Object.entries(run.blocks).map(([id, status]) => [id, status.state]));

function nodeRun(node_id: string, state: BlockState, more: Partial<NodeRun> = {}): NodeRun {
  return {
    node_id,
    block_type: "t",
    state,
    execution_id: "",
    started_at: null,
    ended_at: null,
    error: null,
    traceback: "",
    reason: "",
    outputs: [],
    progress: 0,
    progress_message: "",
    warnings: [],
    ...more,
  };
}

function snapshot(state: RunState, nodes: NodeRun[]): Run {
  return {
    id: "r",
    project_id: "p",
    workflow_id: "w",
    workflow_path: "",
    state,
    created_at: SCOPE.time,
    ended_at: null,
    reason: "",
    triggered_by: "user",
    nodes,
  };
}

describe("reduceRun", () => {
  it("shows what a recorded log of events says", () => {
    const run = replay(
      started,
      runState("running"),
      block("a", "ready"),
      block("a", "running"),
      block("a", "done"),
      block("b", "skipped"),
      runState("failed"),
    );
    expect(run.state).toBe("failed");
    expect(states(run)).toEqual({ a: "done", b: "skipped" });
  });

  it("changes nothing when events come again", () => {
    const run = replay(started, block("a", "running"), block("a", "done"));
    expect([block("a", "ready"), block("a", "running")].reduce(reduceRun, run)).toBe(run);
  });

  it("lets a paused block run on", () => {
    expect(states(replay(started, block("a", "running"), block("a", "paused"), block("a", "running"))).a).toBe("running");
  });

  it("keeps the first end of a run", () => {
    expect(replay(runState("cancelled"), runState("completed")).state).toBe("cancelled");
  });

  it("shows progress only while a block runs", () => {
    const progress: RunEvent = { ...SCOPE, node: "a", type: "block.progressed", data: { fraction: 0.5, message: "half" } };
    expect(replay(started, block("a", "running"), progress).blocks.a).toMatchObject({ progress: 0.5, progressMessage: "half" });
    expect(replay(started, block("a", "running"), block("a", "done"), progress).blocks.a?.progress).toBeNull();
  });

  it("passes over kinds of events that it does not know", () => {
    expect(reduceRun(EMPTY, { ...SCOPE, type: "data.reused", data: {} } as unknown as RunEvent)).toBe(EMPTY);
  });
});

describe("mergeSnapshot", () => {
  it("never takes a block back that events have led further", () => {
    const run = mergeSnapshot(
      replay(started, block("a", "running"), block("a", "done")),
      snapshot("running", [nodeRun("a", "running"), nodeRun("b", "ready")]),
    );
    expect(states(run)).toEqual({ a: "done", b: "ready" });
  });

  it("adds what events do not carry", () => {
    const error = { code: "block.raised", message: "no", subject: "", hint: "" };
    const run = mergeSnapshot(
      replay(started, block("a", "error", { error })),
      snapshot("failed", [nodeRun("a", "error", { error, traceback: "line 1" })]),
    );
    expect(run.blocks.a?.traceback).toBe("line 1");
    expect(reduceRun(run, block("a", "error", { error })).blocks.a?.traceback).toBe("line 1");
  });

  it("leaves blocks that did not change as they are, so that their nodes are not drawn again", () => {
    const nodes = [nodeRun("a", "done"), nodeRun("b", "running")];
    const first = mergeSnapshot(EMPTY, snapshot("running", nodes));
    const second = mergeSnapshot(first, snapshot("running", [nodeRun("a", "done"), nodeRun("b", "done")]));
    expect(second.blocks.a).toBe(first.blocks.a);
    expect(mergeSnapshot(first, snapshot("running", nodes))).toBe(first);
  });
});

describe("the slice", () => {
  it("keeps a bounded number of runs, the shown one always", () => {
    const store = create<ExecutionSlice>()(createExecutionSlice);
    store.getState().showRun("run-0");
    for (let i = 0; i < 50; i++) store.getState().applyEvent({ ...runState("running"), run: `run-${i}` });
    expect(Object.keys(store.getState().runs).length).toBeLessThanOrEqual(20);
    expect(store.getState().runs["run-0"]?.state).toBe("running");
  });
});

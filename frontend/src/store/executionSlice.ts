import type { StateCreator } from "zustand";
import type { RunEvent } from "../api/events";
import type { NodeRun, Run } from "../api/types";
import {
  blockFromEvent,
  blockFromSnapshot,
  IDLE,
  laterRunState,
  mergeBlock,
  sameBlock,
  type BlockStatus,
  type RunStatus,
} from "./runStatus";

/** Runs kept beside the shown one; older ones are read again when they are looked at. */
const MOST_RUNS = 20;

export interface ExecutionSlice {
  runs: Readonly<Record<string, RunStatus>>;
  /** The run whose states the canvas shows; null: none. */
  shownRun: string | null;
  showRun: (run: string | null) => void;
  applyEvent: (event: RunEvent) => void;
  applySnapshot: (run: Run) => void;
}

export const createExecutionSlice: StateCreator<ExecutionSlice> = (set) => ({
  runs: {},
  shownRun: null,
  showRun: (run) => set({ shownRun: run }),
  applyEvent: (event) => set((state) => update(state, event.run, (run) => reduceRun(run, event))),
  applySnapshot: (snapshot) => set((state) => update(state, snapshot.id, (run) => mergeSnapshot(run, snapshot))),
});

function update(state: ExecutionSlice, id: string | null, change: (run: RunStatus) => RunStatus): Partial<ExecutionSlice> {
  if (id === null) return {};
  const before = state.runs[id] ?? { state: "queued", reason: "", blocks: {} };
  const after = change(before);
  return after === state.runs[id] ? {} : { runs: prune({ ...state.runs, [id]: after }, state.shownRun) };
}

function prune(runs: Record<string, RunStatus>, shown: string | null): Record<string, RunStatus> {
  const ids = Object.keys(runs);
  const oldest = ids.length > MOST_RUNS ? ids.find((id) => id !== shown) : undefined;
  return oldest === undefined ? runs : Object.fromEntries(Object.entries(runs).filter(([id]) => id !== oldest));
}

/** Pure, so that a recorded log of events is a test case. What does not lead forward changes nothing. */
export function reduceRun(run: RunStatus, event: RunEvent): RunStatus {
  switch (event.type) {
    case "run.started": {
      const idle = Object.fromEntries(event.data.nodes.map((node) => [node.id, IDLE]));
      return { ...run, blocks: { ...idle, ...run.blocks } };
    }
    case "run.state_changed":
    case "run.finished": {
      const state = laterRunState(run.state, event.data.state);
      return state === run.state ? run : { ...run, state, reason: event.data.reason ?? "" };
    }
    case "block.state_changed":
      return withBlock(run, event.node, (old) => mergeBlock(old, blockFromEvent(event.data)));
    case "block.progressed":
      return withBlock(run, event.node, (old) =>
        old.state === "running" ? { ...old, progress: event.data.fraction, progressMessage: event.data.message } : old,
      );
    default:
      return run; // a kind that a newer server sends
  }
}

function withBlock(run: RunStatus, node: string | null, change: (old: BlockStatus) => BlockStatus): RunStatus {
  if (node === null) return run;
  const old = run.blocks[node] ?? IDLE;
  const block = change(old);
  return block === old ? run : { ...run, blocks: { ...run.blocks, [node]: block } };
}

/** A snapshot may be older than events that came while it travelled, and never takes a block back. */
export function mergeSnapshot(run: RunStatus, snapshot: Run): RunStatus {
  const state = laterRunState(run.state, snapshot.state);
  const reason = state === snapshot.state ? snapshot.reason : run.reason;
  const blocks = { ...run.blocks };
  for (const node of snapshot.nodes) blocks[node.node_id] = snapshotBlock(run.blocks[node.node_id], node);
  const changed = snapshot.nodes.some((node) => blocks[node.node_id] !== run.blocks[node.node_id]);
  return !changed && state === run.state && reason === run.reason ? run : { state, reason, blocks };
}

function snapshotBlock(old: BlockStatus | undefined, node: NodeRun): BlockStatus {
  const merged = mergeBlock(old ?? IDLE, blockFromSnapshot(node));
  return old !== undefined && sameBlock(old, merged) ? old : merged;
}

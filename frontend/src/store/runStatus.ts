import type { EventData } from "../api/events";
import type { BlockState, ErrorInfo, NodeRun, OutputSummary, RunState } from "../api/types";

export interface BlockStatus {
  state: BlockState;
  error: ErrorInfo | null;
  traceback: string;
  reason: string;
  outputs: readonly OutputSummary[];
  warnings: readonly string[];
  startedAt: string | null;
  endedAt: string | null;
  /** 0 to 1; null: not known. */
  progress: number | null;
  progressMessage: string;
}

export interface RunStatus {
  state: RunState;
  reason: string;
  blocks: Readonly<Record<string, BlockStatus>>;
}

/** One object: a fresh one would render every node again. */
export const IDLE: BlockStatus = {
  state: "idle",
  error: null,
  traceback: "",
  reason: "",
  outputs: [],
  warnings: [],
  startedAt: null,
  endedAt: null,
  progress: null,
  progressMessage: "",
};

const BLOCK_RANK: Record<BlockState, number> = { idle: 0, ready: 1, running: 2, paused: 2, done: 3, error: 3, cancelled: 3, skipped: 3 };
const RUN_RANK: Record<RunState, number> = {
  queued: 0,
  running: 1,
  paused: 1,
  completed: 2,
  completed_with_failures: 2,
  failed: 2,
  cancelled: 2,
};

export const hasEnded = (state: RunState): boolean => RUN_RANK[state] === 2;
export const blockHasEnded = (state: BlockState): boolean => BLOCK_RANK[state] === 3;

/** Within a run, states only go forward; running and paused alternate; the first end counts. */
export function laterRunState(old: RunState, next: RunState): RunState {
  return RUN_RANK[next] < RUN_RANK[old] || hasEnded(old) ? old : next;
}

/** `next` where it leads forward, with what `old` knew beyond it. */
export function mergeBlock(old: BlockStatus, next: Partial<BlockStatus> & { state: BlockState }): BlockStatus {
  const from = BLOCK_RANK[old.state];
  const to = BLOCK_RANK[next.state];
  if (to < from || (to === 3 && from === 3 && next.state !== old.state)) return old;
  return { ...old, ...next };
}

export function blockFromEvent(data: EventData["block.state_changed"]): Partial<BlockStatus> & { state: BlockState } {
  return {
    state: data.state,
    ...(data.error === undefined ? {} : { error: data.error }),
    ...(data.reason === undefined ? {} : { reason: data.reason }),
    ...(data.outputs === undefined ? {} : { outputs: data.outputs }),
    ...(data.started_at ? { startedAt: data.started_at } : {}),
    ...(data.ended_at ? { endedAt: data.ended_at } : {}),
  };
}

export function blockFromSnapshot(node: NodeRun): BlockStatus {
  return {
    state: node.state,
    error: node.error,
    traceback: node.traceback,
    reason: node.reason,
    outputs: node.outputs,
    warnings: node.warnings,
    startedAt: node.started_at,
    endedAt: node.ended_at,
    progress: node.progress > 0 ? node.progress : null,
    progressMessage: node.progress_message,
  };
}

export function sameBlock(a: BlockStatus, b: BlockStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

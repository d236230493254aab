import type { BlockState, ErrorInfo, OutputSummary, RunState } from "./types";

interface Scope {
  time: string;
  project: string;
  workflow: string | null;
  run: string | null;
  node: string | null;
  execution: string | null;
}

/** What a family of events says in `data`. Fields that a server does not send yet are absent. */
export interface EventData {
  "run.started": { workflow_id: string; workflow_path: string; triggered_by: string; nodes: { id: string; block_type: string }[] };
  "run.state_changed": { state: RunState; reason?: string };
  "run.finished": { state: RunState; reason?: string };
  "block.state_changed": {
    state: BlockState;
    error?: ErrorInfo | null;
    reason?: string;
    outputs?: OutputSummary[];
    started_at?: string | null;
    ended_at?: string | null;
  };
  "block.progressed": { fraction: number | null; message: string };
}

type Known = { [T in keyof EventData]: Scope & { type: T; data: EventData[T]; cursor?: string; seq?: number } }[keyof EventData];

/** An event of a kind that the page shows, or of another one, which it passes over. */
export type RunEvent = Known;

/** Frames that steer the connection itself. */
export type ControlFrame = { type: "hello"; cursor: string; epoch: string } | { type: "resync"; cursor: string } | { type: "heartbeat" };

export type Frame = ControlFrame | RunEvent;

export interface Cursor {
  epoch: string;
  seq: number;
}

/** `<epoch>:<seq>`; null for anything else. */
export function parseCursor(text: string): Cursor | null {
  const at = text.lastIndexOf(":");
  const seq = Number(text.slice(at + 1));
  return at > 0 && Number.isSafeInteger(seq) ? { epoch: text.slice(0, at), seq } : null;
}

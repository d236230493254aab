import type { StateCreator } from "zustand";
import type { ConnectionState } from "../api/eventStream";
import { asProblem } from "../api/problem";

export interface Notice {
  id: number;
  severity: "error" | "info";
  text: string;
  hint: string;
}

/** What the parts of the window share: what is selected, and what must be said. */
export interface WorkspaceSlice {
  selectedNode: string | null;
  /** Output port whose data is previewed; null: the first. */
  selectedPort: string | null;
  connection: ConnectionState;
  sessionLost: boolean;
  notices: readonly Notice[];
  selectNode: (node: string | null, port?: string | null) => void;
  setConnection: (state: ConnectionState) => void;
  setSessionLost: (lost: boolean) => void;
  /** Show a failed request. The same text is not shown twice; an abort and a lost session (which has its own window) not at all. */
  report: (error: unknown) => void;
  dismiss: (id: number) => void;
}

const MOST_NOTICES = 4;

export const createWorkspaceSlice: StateCreator<WorkspaceSlice> = (set) => ({
  selectedNode: null,
  selectedPort: null,
  connection: "connecting",
  sessionLost: false,
  notices: [],
  selectNode: (node, port = null) => set({ selectedNode: node, selectedPort: port }),
  setConnection: (connection) => set({ connection }),
  setSessionLost: (sessionLost) => set({ sessionLost }),
  report: (error) => set((state) => (isSilent(error) ? state : { notices: addNotice(state.notices, error) })),
  dismiss: (id) => set((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) })),
});

function isSilent(error: unknown): boolean {
  return (error instanceof DOMException && error.name === "AbortError") || asProblem(error).status === 401;
}

function addNotice(notices: readonly Notice[], error: unknown): readonly Notice[] {
  const { message, hint } = asProblem(error);
  if (notices.some((notice) => notice.text === message)) return notices;
  const id = (notices.at(-1)?.id ?? 0) + 1;
  return [...notices, { id, severity: "error" as const, text: message, hint }].slice(-MOST_NOTICES);
}

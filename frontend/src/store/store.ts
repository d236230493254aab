import { create } from "zustand";
import { createExecutionSlice, type ExecutionSlice } from "./executionSlice";
import { IDLE, type BlockStatus } from "./runStatus";
import { createWorkspaceSlice, type WorkspaceSlice } from "./workspaceSlice";

export type AppState = ExecutionSlice & WorkspaceSlice;

export const useAppStore = create<AppState>()((...args) => ({ ...createExecutionSlice(...args), ...createWorkspaceSlice(...args) }));

/** State of a block in the shown run. Only its own node renders again when it moves on. */
export const useBlockStatus = (node: string): BlockStatus =>
  useAppStore((state) => (state.shownRun === null ? IDLE : (state.runs[state.shownRun]?.blocks[node] ?? IDLE)));

import { describe, expect, it } from "vitest";
import { create } from "zustand";
import { ProblemError } from "../api/problem";
import { createWorkspaceSlice, type WorkspaceSlice } from "./workspaceSlice";

const texts = (report: (store: WorkspaceSlice) => void) => {
  const store = create<WorkspaceSlice>()(createWorkspaceSlice);
  report(store.getState());
  return store.getState().notices.map((notice) => notice.text);
};

describe("report", () => {
  it("shows what was wrong once", () => {
    const problem = new ProblemError(409, "project.locked", "It is held by another.", "Stop that one.");
    expect(texts(({ report }) => [report(problem), report(problem)])).toEqual(["It is held by another."]);
  });

  it("does not speak of aborted requests, nor of a lost session, which has its own window", () => {
    expect(texts(({ report }) => [report(new DOMException("", "AbortError")), report(new ProblemError(401, "", "No session."))])).toEqual(
      [],
    );
  });

  it("keeps the newest few", () => {
    const shown = texts(({ report }) => Array.from({ length: 9 }, (_, i) => report(new Error(`fault ${i}`))));
    expect(shown).toEqual(["fault 5", "fault 6", "fault 7", "fault 8"]);
  });
});

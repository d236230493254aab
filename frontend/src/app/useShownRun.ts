import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Run } from "../api/types";
import { runQueries } from "../features/runs/queries";
import { useAppStore } from "../store/store";

/** The run that the address names, else the newest of the workflow; its snapshot goes to the store, where events carry on. */
export function useShownRun(project: string, workflow: string, named: string | null) {
  const list = useInfiniteQuery(runQueries.list(project, workflow));
  const runs: Run[] = list.data?.pages.flatMap((page) => page.items) ?? [];
  const id = named ?? runs[0]?.id ?? null;
  const detail = useQuery({ ...runQueries.detail(project, id ?? ""), enabled: id !== null });
  const snapshot = detail.data;
  useEffect(() => {
    if (snapshot !== undefined) useAppStore.getState().applySnapshot(snapshot);
  }, [snapshot]);
  useEffect(() => {
    useAppStore.getState().showRun(id);
    return () => useAppStore.getState().showRun(null);
  }, [id]);
  return { list, runs, id, detail };
}

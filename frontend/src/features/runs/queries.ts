import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import { hasEnded } from "../../store/runStatus";

/** Events bring every change; this often a run that goes on is compared with what the scheduler says. */
const COMPARE_EVERY_MS = 15_000;

export const runQueries = {
  all: (project: string) => ["projects", project, "runs"] as const,
  list: (project: string, workflow: string) =>
    infiniteQueryOptions({
      queryKey: [...runQueries.all(project), "list", workflow],
      queryFn: ({ signal, pageParam }) => api.listRuns(project, workflow, pageParam, signal),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor,
    }),
  detail: (project: string, run: string) =>
    queryOptions({
      queryKey: [...runQueries.all(project), "detail", run],
      queryFn: ({ signal }) => api.getRun(project, run, signal),
      refetchInterval: (query) => (query.state.data === undefined || hasEnded(query.state.data.state) ? false : COMPARE_EVERY_MS),
    }),
};

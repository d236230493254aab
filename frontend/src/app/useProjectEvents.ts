import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../api/client";
import type { RunEvent } from "../api/events";
import { EventStream } from "../api/eventStream";
import { runQueries } from "../features/runs/queries";
import { useAppStore } from "../store/store";

/** Follow a project's events while it is shown: states go to the store, the rest makes what was read earlier stale. */
export function useProjectEvents(project: string): void {
  const queryClient = useQueryClient();
  const sessionLost = useAppStore((state) => state.sessionLost);
  useEffect(() => {
    if (sessionLost) return;
    const { applyEvent, setConnection } = useAppStore.getState();
    const stream = new EventStream(project, {
      onEvent: (event) => {
        applyEvent(event);
        refresh(queryClient, project, event);
      },
      onReload: () =>
        void queryClient.invalidateQueries({ queryKey: ["projects", project], predicate: ({ queryKey }) => !queryKey.includes("data") }),
      onState: setConnection,
      onRefused: () => void api.getProject(project).catch(() => undefined), // says whether the session is over; all else is retried
    });
    stream.start();
    return () => stream.stop();
  }, [project, sessionLost, queryClient]);
}

function refresh(queryClient: QueryClient, project: string, event: RunEvent): void {
  const runs = runQueries.all(project);
  const isList = { queryKey: [...runs, "list"] };
  const isDetail = { queryKey: [...runs, "detail", event.run] };
  switch (event.type) {
    case "run.started":
      void queryClient.invalidateQueries(isList);
      break;
    case "run.state_changed":
    case "run.finished":
      void queryClient.invalidateQueries(isList);
      void queryClient.invalidateQueries(isDetail);
      break;
    case "block.state_changed":
      if (event.data.state === "error") void queryClient.invalidateQueries(isDetail); // the traceback does not travel with events
      break;
    case "block.progressed":
      break;
  }
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import { newId } from "../../api/ids";
import { ProblemError } from "../../api/problem";
import { useAppStore } from "../../store/store";
import { runQueries } from "./queries";

const MOST_RETRIES = 2;

/** No answer came: with the same run id, asking again starts nothing twice. */
const isWorthRepeating = (failures: number, error: Error) => failures < MOST_RETRIES && error instanceof ProblemError && error.status === 0;

/** Start a run of `workflow`; `onStarted` gets its id. */
export function useStartRun(project: string, workflow: string, onStarted: (run: string) => void) {
  const queryClient = useQueryClient();
  const { applySnapshot, report } = useAppStore.getState();
  return useMutation({
    mutationFn: (run: string) => api.startRun(project, workflow, run),
    retry: isWorthRepeating,
    onSuccess: (run) => {
      applySnapshot(run);
      void queryClient.invalidateQueries({ queryKey: runQueries.all(project) });
      onStarted(run.id);
    },
    onError: report,
  });
}

export const newRunId = (): string => newId();

/** Ask a run, or one block of it, to stop. It is still stopping until its state says otherwise. */
export function useCancel(project: string) {
  const report = useAppStore((state) => state.report);
  return useMutation({
    mutationFn: ({ run, node }: { run: string; node?: string }): Promise<unknown> =>
      node === undefined ? api.cancelRun(project, run) : api.cancelNode(project, run, node),
    retry: isWorthRepeating,
    onError: report,
  });
}

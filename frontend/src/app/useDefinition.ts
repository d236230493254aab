import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../api/client";
import { toGraph } from "../features/canvas/graph";
import { workflowQueries } from "../features/projects/queries";
import { useAppStore } from "../store/store";

/** The workflow as it is now, what may be used in it, and what is wrong with it. */
export function useDefinition(project: string, workflow: string) {
  const queryClient = useQueryClient();
  const report = useAppStore((state) => state.report);
  const enabled = workflow !== "";
  const definition = useQuery({ ...workflowQueries.detail(project, workflow), enabled });
  const catalog = useQuery({ ...workflowQueries.catalog(project), enabled });
  const validation = useQuery({ ...workflowQueries.validation(project, workflow), enabled: enabled && definition.isSuccess });
  const problems = useMemo(() => validation.data?.problems ?? [], [validation.data]);
  const graph = useMemo(
    () => (definition.data === undefined ? null : toGraph(definition.data, catalog.data, problems)),
    [definition.data, catalog.data, problems],
  );
  const check = () => {
    const rescan = async () => {
      queryClient.setQueryData(workflowQueries.catalog(project).queryKey, await api.getCatalog(project, true));
      await queryClient.invalidateQueries({ queryKey: workflowQueries.detail(project, workflow).queryKey });
    };
    rescan().catch(report);
  };
  return { definition, catalog: catalog.data, problems, graph, check, isChecking: validation.isFetching };
}

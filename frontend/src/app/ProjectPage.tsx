import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderClosed, FolderOpen } from "lucide-react";
import { useEffect } from "react";
import { api } from "../api/client";
import type { Project, WorkflowSummary } from "../api/types";
import { Button } from "../design/Button";
import { EmptyState, Loading } from "../design/EmptyState";
import { FailureNote } from "../design/FailureNote";
import { projectQueries, workflowQueries } from "../features/projects/queries";
import { useAppStore } from "../store/store";
import { go, type Route } from "./route";
import { TopBar } from "./TopBar";
import { useProjectEvents } from "./useProjectEvents";
import { Workspace } from "./Workspace";

/** A project: its workflows, and the chosen one. */
export function ProjectPage({ project, route }: { project: string; route: Route }) {
  const detail = useQuery(projectQueries.detail(project));
  const isOpen = detail.data?.is_open === true;
  const workflows = useQuery({ ...workflowQueries.list(project), enabled: isOpen });
  useProjectEvents(project);
  const first = firstReadable(workflows.data?.items);
  useEffect(() => {
    if (route.workflow === null && first !== undefined) go({ project, workflow: first }, { replace: true });
  }, [project, route.workflow, first]);
  useEffect(() => useAppStore.getState().selectNode(null), [project, route.workflow]);
  useEffect(() => {
    document.title = [route.workflow, detail.data?.name, "SciStudio"].filter(Boolean).join(" · ");
  }, [route.workflow, detail.data]);

  if (detail.isSuccess && isOpen && workflows.isSuccess && workflows.data.items.length > 0) {
    return <Workspace key={`${project}/${route.workflow ?? ""}`} project={detail.data} workflows={workflows.data.items} route={route} />;
  }
  return (
    <>
      <TopBar project={detail.data?.name} />
      <main style={{ flex: 1 }}>
        {detail.isPending && <Loading label="Opening the project…" />}
        {detail.isError && <FailureNote error={detail.error} onRetry={() => void detail.refetch()} />}
        {detail.isSuccess && !isOpen && <ClosedProject project={detail.data} />}
        {workflows.isLoading && <Loading label="Reading the workflows…" />}
        {workflows.isError && <FailureNote error={workflows.error} onRetry={() => void workflows.refetch()} />}
        {workflows.isSuccess && (
          <EmptyState icon={<FolderOpen size={28} strokeWidth={1.5} aria-hidden />} title="No workflows yet">
            Workflow files lie in the project's folder <code>workflows</code>, one YAML file each.
          </EmptyState>
        )}
      </main>
    </>
  );
}

function firstReadable(workflows: readonly WorkflowSummary[] | undefined): string | undefined {
  return (workflows?.find((workflow) => workflow.problem === "") ?? workflows?.[0])?.id;
}

function ClosedProject({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const open = useMutation({
    mutationFn: () => api.setProjectOpen(project.id, true),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: projectQueries.all }),
    onError: useAppStore.getState().report,
  });
  return (
    <EmptyState
      icon={<FolderClosed size={28} strokeWidth={1.5} aria-hidden />}
      title={`${project.name} is closed`}
      action={
        <Button kind="primary" onClick={() => open.mutate()} disabled={open.isPending}>
          {open.isPending ? "Opening…" : "Open project"}
        </Button>
      }
    >
      {project.path}
    </EmptyState>
  );
}

import { History } from "lucide-react";
import type { Project, WorkflowSummary } from "../api/types";
import { EmptyState, Loading } from "../design/EmptyState";
import { FailureNote } from "../design/FailureNote";
import { WorkflowList } from "../features/projects/WorkflowList";
import { RunList } from "../features/runs/RunList";
import { go } from "./route";
import styles from "./Sidebar.module.css";
import type { useShownRun } from "./useShownRun";

interface SidebarProps {
  project: Project;
  workflows: readonly WorkflowSummary[];
  workflow: string;
  shown: ReturnType<typeof useShownRun>;
  onRun: (run: string) => void;
}

export function Sidebar({ project, workflows, workflow, shown, onRun }: SidebarProps) {
  const { list, runs, id } = shown;
  return (
    <nav className={styles.sidebar} aria-label="Workflows and runs">
      <h2>Workflows</h2>
      <WorkflowList workflows={workflows} chosen={workflow} onChoose={(chosen) => go({ project: project.id, workflow: chosen })} />
      <h2>Runs</h2>
      <div className={styles.runs}>
        {list.isPending && <Loading label="Reading the runs…" />}
        {list.isError && <FailureNote error={list.error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && runs.length === 0 && (
          <EmptyState icon={<History size={22} strokeWidth={1.5} aria-hidden />} title="No runs yet">
            Press Run to start the first one.
          </EmptyState>
        )}
        {runs.length > 0 && (
          <RunList runs={runs} chosen={id} onChoose={onRun} onOlder={list.hasNextPage ? () => void list.fetchNextPage() : undefined} />
        )}
      </div>
    </nav>
  );
}

import { FileWarning, Workflow } from "lucide-react";
import type { WorkflowSummary } from "../../api/types";
import { plural } from "../../design/format";
import styles from "./WorkflowList.module.css";

export function WorkflowList({
  workflows,
  chosen,
  onChoose,
}: {
  workflows: readonly WorkflowSummary[];
  chosen: string | null;
  onChoose: (workflow: string) => void;
}) {
  return (
    <ul className={styles.list} aria-label="Workflows">
      {workflows.map((workflow) => (
        <li key={workflow.id}>
          <button
            type="button"
            className={styles.entry}
            aria-current={workflow.id === chosen ? "page" : undefined}
            onClick={() => onChoose(workflow.id)}
            title={workflow.problem || workflow.description || workflow.path}
            data-testid={`workflow-${workflow.id}`}
          >
            {workflow.problem === "" ? (
              <Workflow size={15} strokeWidth={1.8} aria-hidden />
            ) : (
              <FileWarning size={15} strokeWidth={1.8} className={styles.broken} aria-label="Cannot be read" />
            )}
            <span className={styles.name}>{workflow.id}</span>
            <span className={styles.size} title={plural(workflow.n_nodes, "block")}>
              {workflow.problem === "" ? workflow.n_nodes : "cannot be read"}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

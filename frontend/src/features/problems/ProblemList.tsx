import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from "lucide-react";
import type { LoadFailure, Problem } from "../../api/types";
import { Button } from "../../design/Button";
import { EmptyState } from "../../design/EmptyState";
import styles from "./ProblemList.module.css";

interface ProblemListProps {
  problems: readonly Problem[];
  /** Files of blocks that could not be loaded. */
  failures: readonly LoadFailure[];
  onNode: (node: string) => void;
  onReload: () => void;
  isReloading: boolean;
}

/** What keeps a workflow from running, or may surprise: where, and what to do. A click shows the block. */
export function ProblemList({ problems, failures, onNode, onReload, isReloading }: ProblemListProps) {
  return (
    <section className={styles.panel} aria-label="Problems" data-testid="problems">
      <div className={styles.bar}>
        <span>Found by checking the workflow and loading the project's blocks</span>
        <Button kind="quiet" icon={<RefreshCw size={13} aria-hidden />} onClick={onReload} disabled={isReloading}>
          {isReloading ? "Checking…" : "Check again"}
        </Button>
      </div>
      {problems.length + failures.length === 0 ? (
        <EmptyState icon={<CircleCheck size={24} strokeWidth={1.5} aria-hidden />} title="No problems" />
      ) : (
        <ul className={styles.list}>
          {problems.map((problem, i) => (
            <ProblemRow key={i} problem={problem} onNode={onNode} />
          ))}
          {failures.map((failure) => (
            <li key={failure.file_path} className={styles.row}>
              <CircleX size={15} className={styles.error} aria-label="Error" />
              <div>
                <p>
                  {failure.error_type}: {failure.message}
                </p>
                <p className={styles.place}>{failure.file_path}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ProblemRow({ problem, onNode }: { problem: Problem; onNode: (node: string) => void }) {
  const { severity, message, hint, node, port, line } = problem;
  const place = [node && `block ${node}`, port && `port ${port}`, line > 0 && `line ${line}`].filter(Boolean).join(", ");
  return (
    <li className={styles.row} data-severity={severity}>
      {severity === "error" ? (
        <CircleX size={15} className={styles.error} aria-label="Error" />
      ) : (
        <TriangleAlert size={15} className={styles.warning} aria-label="Warning" />
      )}
      <div>
        <p>{message}</p>
        {hint !== "" && <p className={styles.hint}>{hint}</p>}
        {node === "" ? (
          <p className={styles.place}>{place}</p>
        ) : (
          <button type="button" className={styles.place} onClick={() => onNode(node)}>
            {place}
          </button>
        )}
      </div>
    </li>
  );
}

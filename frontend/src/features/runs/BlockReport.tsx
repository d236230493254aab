import { CircleX, Square, TriangleAlert } from "lucide-react";
import { Button } from "../../design/Button";
import { durationBetween, formatElapsed } from "../../design/format";
import { StateChip } from "../../design/StateChip";
import { useNow } from "../../design/useNow";
import type { BlockStatus } from "../../store/runStatus";
import { useBlockStatus } from "../../store/store";
import styles from "./BlockReport.module.css";
import { useCancel } from "./useRunActions";

/** How the chosen block fares in the shown run: state, time, error with what to do, warnings. */
export function BlockReport({ project, run, node }: { project: string; run: string; node: string }) {
  const status = useBlockStatus(node);
  const cancel = useCancel(project);
  const isRunning = status.state === "running" || status.state === "paused";
  const now = useNow(status.state === "running");
  const took =
    durationBetween(status.startedAt, status.endedAt) ??
    (isRunning && status.startedAt ? formatElapsed(now - Date.parse(status.startedAt)) : undefined);
  return (
    <div className={styles.report}>
      <div className={styles.line}>
        <StateChip state={status.state} detail={took} testId="block-state" />
        {isRunning && (
          <Button
            kind="quiet"
            icon={<Square size={11} fill="currentColor" aria-hidden />}
            onClick={() => cancel.mutate({ run, node })}
            disabled={cancel.isPending || cancel.isSuccess}
          >
            {cancel.isPending || cancel.isSuccess ? "Stopping…" : "Cancel block"}
          </Button>
        )}
      </div>
      {status.state === "running" && status.progressMessage !== "" && <p className={styles.muted}>{status.progressMessage}</p>}
      {status.reason !== "" && <p className={styles.muted}>{status.reason}</p>}
      <BlockError status={status} />
      {status.warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          <TriangleAlert size={14} aria-label="Warning" />
          {warning}
        </p>
      ))}
    </div>
  );
}

function BlockError({ status }: { status: BlockStatus }) {
  if (status.error === null) return null;
  const { message, hint, code } = status.error;
  return (
    <div className={styles.error} role="alert" data-testid="block-error">
      <CircleX size={15} aria-hidden />
      <div>
        <p className={styles.message}>{message}</p>
        {hint !== "" && <p className={styles.hint}>{hint}</p>}
        {status.traceback !== "" && (
          <details>
            <summary>Traceback</summary>
            <pre>{status.traceback}</pre>
          </details>
        )}
        {code !== "" && <p className={styles.code}>{code}</p>}
      </div>
    </div>
  );
}

import { CircleX } from "lucide-react";
import { asProblem } from "../api/problem";
import { Button } from "./Button";
import styles from "./FailureNote.module.css";

/** A part that could not be shown: what was wrong, what to do, and a way to try again. */
export function FailureNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, hint, traceId } = asProblem(error);
  return (
    <div className={styles.note} role="alert">
      <CircleX size={16} aria-hidden className={styles.icon} />
      <div>
        <p className={styles.message}>{message}</p>
        {hint !== "" && <p className={styles.hint}>{hint}</p>}
        {traceId !== "" && <p className={styles.hint}>Trace {traceId}</p>}
        {onRetry !== undefined && (
          <Button className={styles.retry ?? ""} onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

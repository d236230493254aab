import type { Run } from "../../api/types";
import { Button } from "../../design/Button";
import { durationBetween, formatElapsed, formatStarter, formatTime } from "../../design/format";
import { StateIcon, stateLabel } from "../../design/StateChip";
import { useNow } from "../../design/useNow";
import { laterRunState } from "../../store/runStatus";
import { useAppStore } from "../../store/store";
import styles from "./RunList.module.css";

interface RunListProps {
  runs: readonly Run[];
  chosen: string | null;
  onChoose: (run: string) => void;
  /** Present while older ones can be read. */
  onOlder: (() => void) | undefined;
}

/** Runs of the workflow, newest first. */
export function RunList({ runs, chosen, onChoose, onOlder }: RunListProps) {
  return (
    <>
      <ul className={styles.list} aria-label="Runs">
        {runs.map((run) => (
          <RunEntry key={run.id} run={run} isChosen={run.id === chosen} onChoose={onChoose} />
        ))}
      </ul>
      {onOlder !== undefined && (
        <Button kind="quiet" className={styles.older ?? ""} onClick={onOlder}>
          Show older runs
        </Button>
      )}
    </>
  );
}

function RunEntry({ run, isChosen, onChoose }: { run: Run; isChosen: boolean; onChoose: (run: string) => void }) {
  const live = useAppStore((state) => state.runs[run.id]?.state);
  const state = live === undefined ? run.state : laterRunState(run.state, live);
  const now = useNow(state === "running");
  const took = state === "running" ? formatElapsed(now - Date.parse(run.created_at)) : durationBetween(run.created_at, run.ended_at);
  return (
    <li>
      <button
        type="button"
        className={styles.entry}
        aria-current={isChosen ? "true" : undefined}
        onClick={() => onChoose(run.id)}
        title={`${stateLabel(state)}${run.reason ? `: ${run.reason}` : ""} · started by ${formatStarter(run.triggered_by) || "unknown"} · ${run.id}`}
        data-testid={`run-${run.id}`}
        data-state={state}
      >
        <StateIcon state={state} />
        <span className={styles.words}>
          <span>{stateLabel(state)}</span>
          <span className={styles.when}>
            {formatTime(run.created_at)}
            {run.triggered_by !== "" && run.triggered_by !== "user" && ` · ${formatStarter(run.triggered_by)}`}
          </span>
        </span>
        <span className={styles.took}>{took}</span>
      </button>
    </li>
  );
}

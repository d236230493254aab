import { useShallow } from "zustand/react/shallow";
import type { BlockState, Run } from "../../api/types";
import { durationBetween, formatElapsed, formatStarter, formatTime, plural } from "../../design/format";
import { StateChip, StateIcon, stateLabel } from "../../design/StateChip";
import { useNow } from "../../design/useNow";
import { useAppStore } from "../../store/store";
import styles from "./RunOverview.module.css";

const ORDER: readonly BlockState[] = ["running", "paused", "ready", "idle", "done", "error", "cancelled", "skipped"];

/** The shown run as a whole: its state, its times and how far its blocks are. */
export function RunOverview({ run }: { run: Run }) {
  const live = useAppStore((state) => state.runs[run.id]);
  const state = live?.state ?? run.state;
  const now = useNow(state === "running");
  const counts = useAppStore(useShallow((app) => countStates(Object.values(app.runs[run.id]?.blocks ?? {}))));
  const took =
    durationBetween(run.created_at, run.ended_at) ?? (state === "running" ? formatElapsed(now - Date.parse(run.created_at)) : undefined);
  return (
    <section className={styles.overview} aria-label="Shown run">
      <div className={styles.head}>
        <h2>Run</h2>
        <StateChip state={state} />
      </div>
      {(live?.reason ?? run.reason) !== "" && <p className={styles.reason}>{live?.reason ?? run.reason}</p>}
      <dl>
        <dt>Started</dt>
        <dd>{formatTime(run.created_at)}</dd>
        <dt>Duration</dt>
        <dd>{took ?? "–"}</dd>
        <dt>Started by</dt>
        <dd>{formatStarter(run.triggered_by) || "–"}</dd>
        <dt>Id</dt>
        <dd className={styles.id}>{run.id}</dd>
      </dl>
      <ul className={styles.counts} aria-label="Blocks by state">
        {ORDER.filter((one) => counts[one] !== undefined).map((one) => (
          <li key={one}>
            <StateIcon state={one} size={13} />
            {stateLabel(one)}
            <span>{plural(counts[one] ?? 0, "block")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function countStates(blocks: readonly { state: BlockState }[]): Partial<Record<BlockState, number>> {
  const counts: Partial<Record<BlockState, number>> = {};
  for (const { state } of blocks) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

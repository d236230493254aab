import { Ban, Check, CircleDashed, CircleX, Clock, LoaderCircle, Pause, SkipForward, TriangleAlert, type LucideIcon } from "lucide-react";
import type { BlockState, RunState } from "../api/types";
import styles from "./StateChip.module.css";

type AnyState = BlockState | RunState;
type Tone = "idle" | "ready" | "running" | "paused" | "done" | "error" | "cancelled" | "skipped";

/** What each state looks like and is called; never told apart by colour alone. */
const LOOKS: Record<AnyState, { tone: Tone; label: string; icon: LucideIcon }> = {
  idle: { tone: "idle", label: "Idle", icon: CircleDashed },
  ready: { tone: "ready", label: "Ready", icon: Clock },
  queued: { tone: "ready", label: "Queued", icon: Clock },
  running: { tone: "running", label: "Running", icon: LoaderCircle },
  paused: { tone: "paused", label: "Paused", icon: Pause },
  done: { tone: "done", label: "Done", icon: Check },
  completed: { tone: "done", label: "Completed", icon: Check },
  completed_with_failures: { tone: "cancelled", label: "Completed with failures", icon: TriangleAlert },
  error: { tone: "error", label: "Error", icon: CircleX },
  failed: { tone: "error", label: "Failed", icon: CircleX },
  cancelled: { tone: "cancelled", label: "Cancelled", icon: Ban },
  skipped: { tone: "skipped", label: "Skipped", icon: SkipForward },
};

export const stateLabel = (state: AnyState): string => LOOKS[state].label;

export function StateIcon({ state, size = 14 }: { state: AnyState; size?: number }) {
  const { tone, icon: Icon } = LOOKS[state];
  return <Icon className={styles.mark} data-tone={tone} data-turning={state === "running"} size={size} strokeWidth={2.25} aria-hidden />;
}

/** Icon and words in the state's colours. `detail` follows the name ("3.2 s"). */
export function StateChip({
  state,
  label,
  detail,
  testId,
}: {
  state: AnyState;
  label?: string;
  detail?: string | undefined;
  testId?: string;
}) {
  return (
    <span className={styles.chip} data-tone={LOOKS[state].tone} data-state={state} data-testid={testId}>
      <StateIcon state={state} size={13} />
      <span>{label ?? LOOKS[state].label}</span>
      {detail !== undefined && <span className={styles.detail}>{detail}</span>}
    </span>
  );
}

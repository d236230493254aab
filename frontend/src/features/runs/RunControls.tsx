import { Play, Square } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../design/Button";
import { StateChip } from "../../design/StateChip";
import { hasEnded } from "../../store/runStatus";
import { useAppStore } from "../../store/store";
import { newRunId, useCancel, useStartRun } from "./useRunActions";

interface RunControlsProps {
  project: string;
  workflow: string;
  /** The run that is shown; null: none yet. */
  run: string | null;
  /** Why the workflow cannot run; undefined: it can. */
  blocked: string | undefined;
  onStarted: (run: string) => void;
}

/** Run, and Cancel while the shown run goes on. Both keep their place. */
export function RunControls({ project, workflow, run, blocked, onStarted }: RunControlsProps) {
  const state = useAppStore((app) => (run === null ? undefined : app.runs[run]?.state));
  const start = useStartRun(project, workflow, onStarted);
  const cancel = useCancel(project);
  const [stopping, setStopping] = useState<string | null>(null);
  const isActive = run !== null && state !== undefined && !hasEnded(state);
  const isStopping = isActive && stopping === run;
  const canStart = blocked === undefined && !isActive && !start.isPending;

  const begin = () => start.mutate(newRunId());
  const stop = () => {
    if (run === null) return;
    setStopping(run);
    cancel.mutate({ run }, { onError: () => setStopping(null) });
  };
  useShortcuts(canStart ? begin : undefined, isActive && !isStopping ? stop : undefined);
  return (
    <>
      <span role="status" aria-label="State of the shown run">
        {state !== undefined && <StateChip state={state} testId="run-state" />}
      </span>
      <Button
        kind="primary"
        icon={<Play size={14} fill="currentColor" aria-hidden />}
        onClick={begin}
        disabled={!canStart}
        title={blocked ?? "Run this workflow (Ctrl+Enter)"}
        style={{ minWidth: 112 }}
        data-testid="run"
      >
        {start.isPending ? "Starting…" : isActive ? "Running" : "Run"}
      </Button>
      <Button
        kind={isActive ? "danger" : "plain"}
        icon={<Square size={12} fill="currentColor" aria-hidden />}
        onClick={stop}
        disabled={!isActive || isStopping}
        title="Cancel the run (Ctrl+.)"
        style={{ minWidth: 120 }}
        data-testid="cancel"
      >
        {isStopping ? "Stopping…" : "Cancel"}
      </Button>
    </>
  );
}

/** Ctrl or Cmd with Enter runs, with the full stop cancels; not while a field has the focus. */
function useShortcuts(begin: (() => void) | undefined, stop: (() => void) | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || (event.target as HTMLElement).matches("input, textarea, select")) return;
      const action = event.key === "Enter" ? begin : event.key === "." ? stop : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [begin, stop]);
}

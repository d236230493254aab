import { Maximize2, Minimize2, MousePointerClick, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { Run, WorkflowNode } from "../api/types";
import { IconButton } from "../design/Button";
import { EmptyState } from "../design/EmptyState";
import { formatSetting, plural } from "../design/format";
import { OutputPreview } from "../features/previews/OutputPreview";
import { BlockReport } from "../features/runs/BlockReport";
import { RunOverview } from "../features/runs/RunOverview";
import { blockHasEnded } from "../store/runStatus";
import { useAppStore, useBlockStatus } from "../store/store";
import { Crash } from "./Crash";
import styles from "./Inspector.module.css";

interface InspectorProps {
  project: string;
  run: Run | undefined;
  node: WorkflowNode | undefined;
  label: string;
}

/** The chosen block in the shown run, else the run. */
export function Inspector({ project, run, node, label }: InspectorProps) {
  if (node !== undefined) return <NodeInspector project={project} run={run?.id} node={node} label={label} />;
  if (run !== undefined) return <RunOverview run={run} />;
  return (
    <EmptyState icon={<MousePointerClick size={24} strokeWidth={1.5} aria-hidden />} title="No run yet">
      Run the workflow, then choose a block to see its outputs.
    </EmptyState>
  );
}

function NodeInspector({ project, run, node, label }: { project: string; run: string | undefined; node: WorkflowNode; label: string }) {
  const selectNode = useAppStore((state) => state.selectNode);
  return (
    <section className={styles.inspector} aria-label={`Block ${node.id}`} data-testid="inspector">
      <div className={styles.head}>
        <div>
          <h2>{label}</h2>
          <p className={styles.id}>
            {node.id} · {node.block_type}
          </p>
        </div>
        <IconButton label="Close" icon={<X size={16} aria-hidden />} onClick={() => selectNode(null)} />
      </div>
      {run === undefined ? (
        <p className={styles.muted}>No run yet.</p>
      ) : (
        <BlockReport key={`${run}/${node.id}`} project={project} run={run} node={node.id} />
      )}
      <Settings config={node.config} />
      {run !== undefined && <Outputs project={project} run={run} node={node.id} />}
    </section>
  );
}

/** What the workflow sets for the block; what it leaves out is the block's default. */
function Settings({ config }: { config: WorkflowNode["config"] }) {
  const settings = Object.entries(config);
  if (settings.length === 0) return null;
  return (
    <details className={styles.settings} data-testid="settings">
      <summary>{plural(settings.length, "setting")}</summary>
      <dl>
        {settings.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatSetting(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Outputs({ project, run, node }: { project: string; run: string; node: string }) {
  const { outputs, state } = useBlockStatus(node);
  const selectedPort = useAppStore((app) => app.selectedPort);
  const selectNode = useAppStore((app) => app.selectNode);
  const [isLarge, setIsLarge] = useState(false);
  useEscape(isLarge, () => setIsLarge(false));
  const chosen = outputs.find((output) => output.port === selectedPort) ?? outputs[0];
  if (chosen === undefined) {
    if (state === "done") return <p className={styles.muted}>This block has no outputs.</p>;
    return blockHasEnded(state) ? null : <p className={styles.muted}>Outputs are shown here when the block is done.</p>;
  }
  return (
    <div className={styles.outputs} data-large={isLarge}>
      <IconButton
        className={styles.enlarge ?? ""}
        label={isLarge ? "Back to the column (Esc)" : "Enlarge the preview"}
        icon={isLarge ? <Minimize2 size={15} aria-hidden /> : <Maximize2 size={15} aria-hidden />}
        onClick={() => setIsLarge(!isLarge)}
        data-testid="enlarge"
      />
      <div className={styles.pills} role="tablist" aria-label="Outputs">
        {outputs.map((output) => (
          <button
            key={output.port}
            type="button"
            role="tab"
            aria-selected={output === chosen}
            onClick={() => selectNode(node, output.port)}
            title={`${output.type_name}, ${plural(output.n_items, "item")}`}
            data-testid={`output-${output.port}`}
          >
            {output.port}
            {output.n_items !== 1 && <small>{output.n_items}</small>}
          </button>
        ))}
      </div>
      <div className={styles.preview} role="tabpanel" aria-label={`Output ${chosen.port}`} data-testid="preview">
        <Crash key={`${run}/${node}/${chosen.port}`}>
          <OutputPreview project={project} run={run} node={node} output={chosen} />
        </Crash>
      </div>
    </div>
  );
}

function useEscape(isActive: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && onEscape();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}

import { Handle, Position, type NodeProps } from "@xyflow/react";
import { AppWindow, Blocks, Bot, Braces, CircleHelp, Cog, Database, TriangleAlert, Workflow, type LucideIcon } from "lucide-react";
import { memo } from "react";
import { durationBetween, formatElapsed } from "../../design/format";
import { StateChip, stateLabel } from "../../design/StateChip";
import { useNow } from "../../design/useNow";
import type { BlockStatus } from "../../store/runStatus";
import { useBlockStatus } from "../../store/store";
import styles from "./BlockNode.module.css";
import type { BlockFlowNode, NodePort } from "./graph";

const ICONS: Record<string, LucideIcon> = {
  io: Database,
  process: Cog,
  code: Braces,
  app: AppWindow,
  ai: Bot,
  subworkflow: Workflow,
  custom: Blocks,
};

/** Edge length of the square: fixed, whatever the block shows. */
export const NODE_SIZE = 104;

export const BlockNode = memo(function BlockNode({ id, data, selected }: NodeProps<BlockFlowNode>) {
  const status = useBlockStatus(id); // only this node renders again when its block moves on
  const Icon = data.isUnresolved ? CircleHelp : (ICONS[data.category] ?? Blocks);
  return (
    <div
      className={styles.node}
      data-testid={`block-${id}`}
      data-state={status.state}
      data-category={data.category}
      data-selected={selected}
      data-unresolved={data.isUnresolved}
      role="group"
      aria-label={`${data.label} (${id}): ${stateLabel(status.state)}${data.isUnresolved ? ", block type not installed" : ""}`}
      title={data.isUnresolved ? `The block type ${data.blockType} is not installed.` : data.description}
    >
      <PortRail side="left" ports={data.inputs} />
      <Icon className={styles.icon} size={34} strokeWidth={1.6} aria-hidden />
      {data.problem !== null && (
        <span className={styles.problem} data-severity={data.problem} title={data.problem === "error" ? "Has a problem" : "Has a warning"}>
          <TriangleAlert size={13} aria-hidden />
        </span>
      )}
      <Progress status={status} />
      <StatusBadge status={status} />
      <PortRail side="right" ports={data.outputs} />
      <div className={styles.label}>
        <span className={styles.name}>{data.label}</span>
        {id !== data.label && <span className={styles.id}>{id}</span>}
      </div>
    </div>
  );
});

function StatusBadge({ status }: { status: BlockStatus }) {
  const { state, startedAt, endedAt, error } = status;
  const now = useNow(state === "running" && startedAt !== null);
  const elapsed = state === "running" && startedAt !== null ? formatElapsed(now - Date.parse(startedAt)) : undefined;
  const took = state === "done" ? durationBetween(startedAt, endedAt) : undefined;
  return (
    <div className={styles.badge} title={error?.message ?? status.reason}>
      <StateChip state={state} {...(elapsed === undefined ? {} : { label: elapsed })} {...(took === undefined ? {} : { label: took })} />
      {(elapsed ?? took) !== undefined && <span className="visually-hidden">{stateLabel(state)}</span>}
    </div>
  );
}

function Progress({ status }: { status: BlockStatus }) {
  if (status.state !== "running" || status.progress === null) return null;
  const percent = Math.round(Math.min(1, Math.max(0, status.progress)) * 100);
  return (
    <div
      className={styles.progress}
      role="progressbar"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-label="Progress"
      title={status.progressMessage}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

/** Ports keep their distance; with many of them the rail grows past the square, which never does. */
function PortRail({ side, ports }: { side: "left" | "right"; ports: readonly NodePort[] }) {
  const step = ports.length <= 4 ? 22 : 17;
  return ports.map((port, i) => (
    <Handle
      key={port.name}
      id={port.name}
      type={side === "left" ? "target" : "source"}
      position={side === "left" ? Position.Left : Position.Right}
      isConnectable={false}
      className={styles.port ?? ""}
      data-open={port.isOpen}
      data-side={side}
      style={{ top: NODE_SIZE / 2 + (i - (ports.length - 1) / 2) * step, "--port": port.colour } as React.CSSProperties}
      title={`${port.name}: ${port.type}${side === "left" && port.required ? " (required)" : ""}`}
    >
      <span className={styles.portName} data-side={side} aria-hidden>
        {port.name}
      </span>
    </Handle>
  ));
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDownToLine, ScrollText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../design/Button";
import { EmptyState, Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { plural } from "../../design/format";
import type { ShownLine } from "./logBuffer";
import type { LogView } from "./logFeed";
import styles from "./LogPanel.module.css";
import { useLogFeed } from "./useLogFeed";

const ROW_PX = 20;
/** This near the end counts as being there. */
const NEAR_END_PX = 30;

interface LogPanelProps {
  project: string;
  run: string | null;
  /** The chosen block; null: none, the whole run is shown. */
  node: string | null;
}

/** What blocks print, as it comes: of the chosen block, or of all. */
export function LogPanel({ project, run, node }: LogPanelProps) {
  const [wholeRun, setWholeRun] = useState(false);
  const scope = node === null || wholeRun ? "" : node;
  const view = useLogFeed(project, run, scope);
  const [follows, setFollows] = useState(true);
  return (
    <section className={styles.panel} aria-label="Logs" data-testid="logs">
      <div className={styles.bar}>
        <div className={styles.scope} role="group" aria-label="Which lines">
          <button type="button" aria-pressed={scope === ""} onClick={() => setWholeRun(true)}>
            Whole run
          </button>
          {node !== null && (
            <button type="button" aria-pressed={scope !== ""} onClick={() => setWholeRun(false)}>
              {node}
            </button>
          )}
        </div>
        <span className={styles.status} role="status">
          {run === null ? "" : describe(view)}
        </span>
        <Button
          kind="quiet"
          className={styles.follow ?? ""}
          aria-pressed={follows}
          onClick={() => setFollows(!follows)}
          icon={<ArrowDownToLine size={14} aria-hidden />}
        >
          {follows ? "Following" : "Follow"}
        </Button>
      </div>
      <LogBody run={run} view={view} follows={follows} onFollows={setFollows} showsNode={scope === ""} />
    </section>
  );
}

function describe({ lines, nDropped, truncated, state }: LogView): string {
  const parts = [plural(lines.length, "line")];
  if (nDropped > 0) parts.push(`${nDropped.toLocaleString()} earlier ones are not kept here`);
  if (truncated) parts.push("some were cut, since too much was printed");
  if (state === "interrupted") parts.push("connection lost, trying again…");
  return parts.join(" · ");
}

interface LogBodyProps {
  run: string | null;
  view: LogView;
  follows: boolean;
  onFollows: (follows: boolean) => void;
  showsNode: boolean;
}

function LogBody({ run, view, follows, onFollows, showsNode }: LogBodyProps) {
  if (run === null) return <EmptyState icon={<ScrollText size={24} strokeWidth={1.5} aria-hidden />} title="No run yet" />;
  if (view.problem !== null) return <FailureNote error={view.problem} />;
  if (view.lines.length > 0) return <Lines lines={view.lines} follows={follows} onFollows={onFollows} showsNode={showsNode} />;
  if (view.state === "loading") return <Loading label="Reading the log…" />;
  return <EmptyState title={view.state === "ended" ? "Nothing was printed" : "Nothing printed yet"} />;
}

function Lines({ lines, follows, onFollows, showsNode }: Omit<LogBodyProps, "run" | "view"> & { lines: readonly ShownLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer's functions are used here and not handed on
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: 20 });
  useEffect(() => {
    if (follows && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [follows, lines]);
  const lastTop = useRef(0);
  const noteScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current as HTMLDivElement;
    const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (atEnd && !follows) onFollows(true);
    else if (!atEnd && scrollTop < lastTop.current) onFollows(false); // only a person scrolls back; lines that come do not
    lastTop.current = scrollTop;
  };
  return (
    <div ref={box} className={styles.lines} tabIndex={0} role="log" aria-live="off" aria-label="Log lines" onScroll={noteScroll}>
      <div style={{ height: rows.getTotalSize() }} className={styles.space}>
        {rows.getVirtualItems().map((row) => {
          const line = lines[row.index] as ShownLine;
          return (
            <div
              key={line.key}
              className={styles.line}
              style={{ transform: `translateY(${row.start}px)` }}
              data-level={line.level}
              data-stream={line.stream}
            >
              <time dateTime={line.time}>{clock(line.time)}</time>
              {showsNode && <span className={styles.node}>{line.node_id}</span>}
              {line.level in LEVELS && <span className={styles.level}>{LEVELS[line.level]}</span>}
              <span className={styles.text}>{line.text}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Ordinary lines carry no mark, so that the others stand out. */
const LEVELS: Record<string, string> = { warning: "warning", error: "error", debug: "debug" };

function clock(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? "" : time.toTimeString().slice(0, 8);
}

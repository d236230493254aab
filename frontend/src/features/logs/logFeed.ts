import { api } from "../../api/client";
import { apiUrl, send } from "../../api/http";
import { asProblem, type ProblemError } from "../../api/problem";
import { serverSentEvents } from "../../api/sse";
import type { LogLine } from "../../api/types";
import { LogBuffer, MOST_LINES, type Gap, type ShownLine } from "./logBuffer";

export interface LogView {
  lines: readonly ShownLine[];
  nDropped: number;
  /** The server cut lines, since the block printed too much. */
  truncated: boolean;
  state: "loading" | "following" | "ended" | "interrupted";
  problem: ProblemError | null;
}

export interface LogScope {
  project: string;
  run: string;
  /** Empty: the whole run. */
  node: string;
}

export const NO_LOGS: LogView = { lines: [], nDropped: 0, truncated: false, state: "loading", problem: null };
const HISTORY_LINES = 2_000;
const PUBLISH_EVERY_MS = 100;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/** Lines of one run or one of its nodes, followed until the run ends; over a dropped connection no line is lost or shown twice. */
export class LogFeed {
  private readonly buffer = new LogBuffer();
  private view = NO_LOGS;
  private listeners = new Set<() => void>();
  private abort: AbortController | null = null;
  private publishing: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly scope: LogScope) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getView = (): LogView => this.view;

  start(): void {
    if (this.abort !== null || this.view.state === "ended") return;
    this.abort = new AbortController();
    void this.keepFollowing(this.abort.signal);
  }

  stop(): void {
    this.abort?.abort();
    this.abort = null;
    clearTimeout(this.publishing);
    this.publishing = undefined;
  }

  private async keepFollowing(signal: AbortSignal): Promise<void> {
    const isStopped = () => signal.aborted;
    for (let failures = 0; !isStopped(); failures++) {
      try {
        const followed = await this.follow(signal);
        if (followed.ended) {
          this.change({ state: "ended" });
          return;
        }
        if (followed.nLines > 0) failures = 0;
        this.change({ state: "interrupted" });
      } catch (error) {
        if (isStopped()) return;
        const problem = asProblem(error);
        const isFinal = problem.status >= 400 && problem.status < 500;
        this.change(isFinal ? { state: "ended", problem } : { state: "interrupted" });
        if (isFinal) return;
      }
      await pause(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures), signal);
    }
  }

  /** One connection: first what was printed before, then what comes. The stream waits meanwhile, so nothing falls between. */
  private async follow(signal: AbortSignal): Promise<{ ended: boolean; nLines: number }> {
    const { project, run, node } = this.scope;
    const after = node === "" ? undefined : this.buffer.lastLine(node);
    const url = apiUrl(["projects", project, "logs"], { run, node, after });
    const response = await send(new Request(url, { headers: { Accept: "text/event-stream" }, signal }));
    if (node === "") await this.readHistory(signal);
    this.change({ state: "following", problem: null });
    let nLines = 0;
    if (response.body === null) return { ended: true, nLines };
    for await (const event of serverSentEvents(response.body)) {
      if (event.event === "end") return { ended: true, nLines };
      if (event.event !== "log") continue;
      nLines++;
      await this.take([JSON.parse(event.data) as LogLine], signal);
    }
    return { ended: false, nLines };
  }

  private async readHistory(signal: AbortSignal): Promise<void> {
    const { project, run } = this.scope;
    const page = await api.readLogs(project, { run, node: "", after: 0, limit: HISTORY_LINES }, signal);
    if (page.truncated) this.change({ truncated: true });
    await this.take(page.items, signal, { isLatest: true });
  }

  private async take(lines: readonly LogLine[], signal: AbortSignal, options?: { isLatest: boolean }): Promise<void> {
    for (const gap of this.buffer.append(lines, options)) await this.fillGap(gap, signal);
    this.publishing ??= setTimeout(this.publish, PUBLISH_EVERY_MS);
  }

  private async fillGap(gap: Gap, signal: AbortSignal): Promise<void> {
    const limit = Math.min(MOST_LINES, gap.before - gap.after - 1);
    const page = await api.readLogs(this.scope.project, { run: this.scope.run, node: gap.node, after: gap.after, limit }, signal);
    if (page.truncated) this.change({ truncated: true });
    this.buffer.fill(gap, page.items);
  }

  private change(part: Partial<LogView>): void {
    this.view = { ...this.view, ...part, lines: this.buffer.snapshot(), nDropped: this.buffer.nDropped };
    this.listeners.forEach((listener) => listener());
  }

  private readonly publish = (): void => {
    this.publishing = undefined;
    this.change({});
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", wake, { once: true });
  });
}

import type { LogLine } from "../../api/types";

/** Lines kept; a block that prints without end must not fill the browser's memory. */
export const MOST_LINES = 10_000;
const MOST_CHARACTERS = 2_000;

export interface ShownLine extends LogLine {
  /** Unique within a run. */
  key: string;
}

/** Lines between the last one seen of `node` and one that came: what a dropped connection missed. */
export interface Gap {
  node: string;
  after: number;
  before: number;
}

/** The latest lines, each once. Lines are numbered within a node, so a hole shows. */
export class LogBuffer {
  private lines: ShownLine[] = [];
  private readonly last = new Map<string, number>();
  private readonly seen = new Map<string, Set<number>>();
  nDropped = 0;

  constructor(private readonly limit: number = MOST_LINES) {}

  /**
   * Add what is new; returns the holes that it leaves. `isLatest`: the lines are the end of a longer log, so that a node may begin
   * in the middle.
   */
  append(lines: readonly LogLine[], { isLatest = false } = {}): Gap[] {
    const gaps: Gap[] = [];
    for (const line of lines) {
      const last = this.lastLine(line.node_id);
      if (line.line <= last) continue;
      if (line.line > last + 1 && !(isLatest && last === 0)) gaps.push({ node: line.node_id, after: last, before: line.line });
      this.last.set(line.node_id, line.line);
      this.keep(line);
    }
    this.trim();
    return gaps;
  }

  /** Put late lines where they belong: before the first later line of their node. */
  fill(gap: Gap, lines: readonly LogLine[]): void {
    const wanted = lines.filter((line) => line.line > gap.after && line.line < gap.before && !this.seen.get(line.node_id)?.has(line.line));
    const at = this.lines.findIndex((line) => line.node_id === gap.node && line.line >= gap.before);
    if (at < 0) return;
    this.lines.splice(at, 0, ...wanted.map((line) => this.shown(line)));
    this.trim();
  }

  lastLine(node: string): number {
    return this.last.get(node) ?? 0;
  }

  /** A new array each time: what was given out never changes. */
  snapshot(): readonly ShownLine[] {
    return this.lines.slice();
  }

  private keep(line: LogLine): void {
    this.lines.push(this.shown(line));
  }

  private shown(line: LogLine): ShownLine {
    const numbers = this.seen.get(line.node_id) ?? new Set();
    this.seen.set(line.node_id, numbers.add(line.line));
    return { ...line, key: `${line.node_id}:${line.line}`, text: cleanText(line.text) };
  }

  private trim(): void {
    const excess = this.lines.length - this.limit;
    if (excess <= 0) return;
    for (const line of this.lines.splice(0, excess)) this.seen.get(line.node_id)?.delete(line.line);
    this.nDropped += excess;
  }
}

// eslint-disable-next-line no-control-regex -- terminal escapes are control characters
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
// eslint-disable-next-line no-control-regex -- see above
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Text as one plain line: no terminal escapes, control characters made visible, the last state of a redrawn line. */
export function cleanText(text: string): string {
  const plain = text.replace(ESCAPES, "").replace(/\r+$/, "");
  const redrawn = plain.slice(plain.lastIndexOf("\r") + 1);
  const visible = redrawn
    .replace(CONTROLS, (character) => String.fromCharCode(character === "\u007f" ? 0x2421 : 0x2400 + character.charCodeAt(0)))
    .replace(/\p{Surrogate}/gu, "\ufffd");
  return visible.length > MOST_CHARACTERS
    ? `${visible.slice(0, MOST_CHARACTERS)}… (${visible.length - MOST_CHARACTERS} more characters)`
    : visible;
}

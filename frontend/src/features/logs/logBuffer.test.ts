import { describe, expect, it } from "vitest";
import type { LogLine } from "../../api/types";
import { cleanText, LogBuffer } from "./logBuffer";

const line = (node_id: string, number: number): LogLine => ({
  line: number,
  time: "2026-12-01T10:00:00Z",
  node_id,
  stream: "stdout",
  level: "info",
  text: `${node_id}${number}`,
});
const lines = (node: string, from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => line(node, from + i));
const shown = (buffer: LogBuffer) => buffer.snapshot().map((one) => one.text);

describe("LogBuffer", () => {
  it("keeps each line once, however often it comes", () => {
    const buffer = new LogBuffer();
    buffer.append([...lines("a", 1, 3), line("b", 1)]);
    buffer.append([...lines("a", 2, 4), line("b", 1)]);
    expect(shown(buffer)).toEqual(["a1", "a2", "a3", "b1", "a4"]);
  });

  it("finds the hole that a dropped connection left, and fills it in place", () => {
    const buffer = new LogBuffer();
    buffer.append(lines("a", 1, 2));
    const gaps = buffer.append([line("b", 1), line("a", 6)]);
    expect(gaps).toEqual([{ node: "a", after: 2, before: 6 }]);
    for (const gap of gaps) buffer.fill(gap, lines("a", 3, 8));
    expect(shown(buffer).filter((text) => text.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4", "a5", "a6"]);
  });

  it("takes the end of a long log as it is", () => {
    expect(new LogBuffer().append(lines("a", 900, 902), { isLatest: true })).toEqual([]);
  });

  it("stays bounded and says how much it let go", () => {
    const buffer = new LogBuffer(100);
    for (let i = 0; i < 50; i++) buffer.append(lines("a", i * 10 + 1, i * 10 + 10));
    expect(buffer.snapshot()).toHaveLength(100);
    expect(buffer.nDropped).toBe(400);
    expect(shown(buffer).at(-1)).toBe("a500");
  });
});

describe("cleanText", () => {
  it.each([
    ["\u001b[1;32mgreen\u001b[0m", "green"],
    ["\u001b]0;title\u0007text", "text"],
    ["10 %\r50 %\r100 %", "100 %"],
    ["done\r", "done"],
    ["nul\u0000 bell\u0007", "nul␀ bell␇"],
    ["</script><b>", "</script><b>"],
    ["half \ud83d pair", "half \ufffd pair"],
    ["tab\tstays", "tab\tstays"],
  ])("shows %j as plain text", (text, expected) => expect(cleanText(text)).toBe(expected));

  it("cuts a line that would fill the page", () => {
    expect(cleanText("x".repeat(1_000_000)).length).toBeLessThan(2_100);
  });
});

import { describe, expect, it } from "vitest";
import { createParser } from "./sse";

const STREAM = ': heartbeat\n\nevent: log\nid: 1\ndata: {"a": 1}\n\ndata: two\ndata: lines\n\nevent: end\ndata: {}\n\nevent: cut';
const EVENTS = [
  { event: "log", data: '{"a": 1}' },
  { event: "message", data: "two\nlines" },
  { event: "end", data: "{}" },
];

describe("createParser", () => {
  it.each([1, 2, 7, 1000])("reads the same events from pieces of %i characters", (size) => {
    const parse = createParser();
    const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    expect(pieces.flatMap((piece) => parse(piece))).toEqual(EVENTS);
  });

  it("takes lines that end as on Windows", () => {
    expect(createParser()("event: log\r\ndata: x\r\n\r\n")).toEqual([{ event: "log", data: "x" }]);
  });
});

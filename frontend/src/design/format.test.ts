import { describe, expect, it } from "vitest";
import { formatBytes, formatDuration, formatElapsed, formatNumber, formatSetting, formatStarter } from "./format";

describe("figures", () => {
  it.each([
    [42, "42 ms"],
    [999.6, "1.0 s"],
    [1_500, "1.5 s"],
    [59_900, "59 s"],
    [61_000, "1 min 1 s"],
    [3_700_000, "1 h 1 min"],
  ])("%d ms last %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

  it("count whole seconds while something runs, and never below none", () => {
    expect(formatElapsed(1_999)).toBe("1 s");
    expect(formatElapsed(-50)).toBe("0 s");
  });

  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [64 * 1024, "64 KiB"],
    [3 * 1024 ** 3, "3.0 GiB"],
  ])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [3, "3"],
    [1e21, "1e+21"],
    [0.1 + 0.2, "0.3"],
    [0.00001234567, "1.2346e-5"],
    [NaN, "NaN"],
  ])("%d reads %s", (value, text) => expect(formatNumber(value)).toBe(text));

  it("name who started a run in people's words", () => {
    expect(["user", "api", "cli", "agent", ""].map(formatStarter)).toEqual(["page", "program", "terminal", "agent", ""]);
  });

  it("show settings as text or JSON", () => {
    expect(["a b", 2.5, true, ["x", null]].map(formatSetting)).toEqual(["a b", "2.5", "true", '["x",null]']);
  });
});

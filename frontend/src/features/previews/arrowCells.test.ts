import { Float64, Int64, Table, tableFromIPC, tableToIPC, TimestampNanosecond, Utf8, vectorFromArray, type Vector } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { cellOf, decimalText, timestampText } from "./arrowCells";

/** As it comes from the server: through a stream. */
function columnOf(vector: Vector): Vector {
  const table = tableFromIPC(tableToIPC(new Table({ c: vector }), "stream"));
  return table.getChildAt(0) as Vector;
}

describe("cells", () => {
  it("show integers beyond 2^53 exactly, and say where there is none", () => {
    const column = columnOf(vectorFromArray([1_700_000_000_000_000_011n, null, 9_007_199_254_740_993n], new Int64()));
    expect([0, 1, 2].map((row) => cellOf(column, row).text)).toEqual(["1700000000000000011", "null", "9007199254740993"]);
    expect(cellOf(column, 1).isNull).toBe(true);
  });

  it("shorten long fractions and keep all digits at hand", () => {
    const column = columnOf(vectorFromArray([0.123456789, 2], new Float64()));
    expect(cellOf(column, 0)).toMatchObject({ text: "0.123457", full: "0.123456789" });
    expect(cellOf(column, 1).text).toBe("2");
  });

  it("show text as it is", () => {
    expect(cellOf(columnOf(vectorFromArray(["<b>"], new Utf8())), 0).text).toBe("<b>");
  });

  it("show times with the digits of their unit", () => {
    const ticks = 1_700_000_000_123_456_789n;
    expect(timestampText(ticks, new TimestampNanosecond().unit, true)).toBe("2023-11-14 22:13:20.123456789 UTC");
    expect(timestampText(-1n, 1, false)).toBe("1969-12-31 23:59:59.999");
  });

  it("show decimals exactly, negative ones too", () => {
    expect(decimalText(new Uint32Array([12345, 0, 0, 0]), 2)).toBe("123.45");
    expect(decimalText(new Uint32Array([0xfffffffb, 0xffffffff, 0xffffffff, 0xffffffff]), 3)).toBe("-0.005");
  });
});

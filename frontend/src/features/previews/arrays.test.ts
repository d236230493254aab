import { describe, expect, it } from "vitest";
import { decodeValues, dtypeKind, dtypeName, halfToNumber, rangeFrom, rangeOf } from "./arrayValues";
import { labelColour, lookupTable, paint } from "./colourMaps";
import { fit, keepInBox, pixelAt, planeOf, tileIndex, visibleRegion, zoomAt } from "./geometry";
import { linePath } from "./LinePlot";

describe("values", () => {
  it("reads the names that numpy writes", () => {
    expect(["<f4", "|u1", "|b1", "<i8", "float32"].map(dtypeName)).toEqual(["float32", "uint8", "bool", "int64", "float32"]);
    expect(["<c8", "|b1", "<u2"].map(dtypeKind)).toEqual(["float", "bool", "integer"]);
  });

  it("keeps every digit of 64-bit integers", () => {
    const body = new BigInt64Array([1_700_000_000_000_000_011n]).buffer;
    expect(decodeValues("<i8", body)[0]?.toString()).toBe("1700000000000000011");
  });

  it.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x0001, 2 ** -24],
    [0x7c00, Infinity],
    [0x3555, 0.333251953125],
  ])("reads half precision %i as %d", (bits, value) => expect(halfToNumber(bits)).toBe(value));

  it("shows complex numbers by their magnitude", () => {
    expect([...decodeValues("<c8", new Float32Array([3, 4]).buffer)]).toEqual([5]);
  });

  it("refuses what cannot be drawn", () => {
    expect(() => decodeValues("<U4", new ArrayBuffer(4))).toThrow("cannot be drawn");
  });

  it("finds the range of what is finite", () => {
    expect(rangeOf(new Float32Array([NaN, 2, -1, Infinity]))).toEqual({ low: -1, high: 2 });
    expect(rangeOf(new Float32Array([NaN]))).toEqual({ low: 0, high: 1 });
    expect(rangeFrom("-9007199254740993", 4, new Uint8Array())).toEqual({ low: -9007199254740992, high: 4 });
  });
});

describe("colours", () => {
  const rgba = (packed: number) => [packed & 255, (packed >> 8) & 255, (packed >> 16) & 255, packed >>> 24];

  it("go from the lowest to the highest colour, clamped outside", () => {
    const pixels = paint(new Float32Array([-5, 0, 1, 9]), "grey", { low: 0, high: 1 });
    expect([...pixels].map((pixel) => rgba(pixel)[0])).toEqual([0, 0, 255, 255]);
    expect(lookupTable("viridis")).toHaveLength(256);
  });

  it("leave what is not a number transparent", () => {
    expect(paint(new Float32Array([NaN]), "magma", { low: 0, high: 1 })[0]).toBe(0);
  });

  it("of labels are the same in every tile, and differ for neighbours in number", () => {
    expect(rgba(labelColour(0))).toEqual([0, 0, 0, 255]);
    expect(new Set(Array.from({ length: 60 }, (_, i) => labelColour(i))).size).toBe(60);
    expect(paint(new Int32Array([7]), "labels", { low: 0, high: 0 })[0]).toBe(labelColour(7));
  });
});

describe("geometry", () => {
  const plane = planeOf({ all_axes: ["t", "y", "x"], full_shape: [5, 100, 200] });
  const box = { width: 400, height: 400 };

  it("draws y and x by name, else the last two axes", () => {
    expect(plane).toMatchObject({ rows: 100, columns: 200, others: [{ key: "t", size: 5 }] });
    expect(planeOf({ all_axes: ["y", "x", "c"], full_shape: [10, 20, 3] })).toMatchObject({
      rows: 10,
      columns: 20,
      others: [{ key: "c" }],
    });
    expect(planeOf({ all_axes: ["a", "b"], full_shape: [10, 20] })).toMatchObject({ rows: 10, rowName: "a", others: [] });
  });

  it("keeps the place under the pointer while magnifying", () => {
    const at = { x: 210, y: 190 };
    const before = fit(plane, box);
    const after = zoomAt(before, 4, at, plane, box);
    expect(pixelAt(after, at, plane)).toEqual(pixelAt(before, at, plane));
  });

  it("never shows less than all of the plane, nor a border on one side while the other hides something", () => {
    expect(zoomAt(fit(plane, box), 0.1, { x: 0, y: 0 }, plane, box)).toEqual(fit(plane, box));
    expect(keepInBox({ scale: 10, x: 500, y: -9999 }, plane, box)).toEqual({ scale: 10, x: 0, y: -600 });
  });

  it("asks for the part in view, within the plane", () => {
    const region = visibleRegion({ scale: 20, x: -1000, y: -500 }, plane, box);
    expect(region.x).toBeLessThanOrEqual(50);
    expect(region.x + region.width).toBeGreaterThanOrEqual(70);
    expect(region.y + region.height).toBeLessThanOrEqual(100);
  });

  it("finds a value in a strided tile", () => {
    const tile = { shape: [10, 20], origin: [20, 40], step: [4, 4] };
    expect(tileIndex(tile, 27, 49)).toBe(1 * 20 + 2);
    expect(tileIndex(tile, 19, 40)).toBe(-1);
    expect(tileIndex(tile, 20, 120)).toBe(-1);
  });
});

describe("linePath", () => {
  it("leaves a gap where a value is missing", () => {
    expect(linePath([0, 1, NaN, 1], 0, 1).match(/M/g)).toHaveLength(2);
  });
});

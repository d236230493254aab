import { describe, expect, it } from "vitest";
import { COLUMN, layered, placeNodes } from "./layout";

const edges = (...pairs: string[]) => pairs.map((pair) => ({ source: pair[0] ?? "", target: pair[1] ?? "" }));

describe("layered", () => {
  it("puts each node to the right of all that lead to it", () => {
    const given = edges("ab", "bc", "ac", "cd", "ad");
    const at = layered(["a", "b", "c", "d"], given);
    for (const { source, target } of given) expect(at.get(target)?.x).toBeGreaterThan(at.get(source)?.x ?? NaN);
  });

  it("gives each node a place of its own, the same for the same graph", () => {
    const ids = [..."abcdefgh"];
    const given = edges("ac", "bc", "cd", "ce", "cf", "dg", "eg", "fh");
    const places = [...layered(ids, given).values()].map((at) => `${at.x},${at.y}`);
    expect(new Set(places).size).toBe(ids.length);
    expect(layered(ids, given)).toEqual(layered(ids, given));
  });

  it("keeps neighbours beside each other, so that straight chains do not cross", () => {
    const at = layered([..."abcdef"], edges("ae", "bd", "cf"));
    const order = (ids: string) => [...ids].sort((one, other) => (at.get(one)?.y ?? 0) - (at.get(other)?.y ?? 0)).join("");
    expect(order("def")).toBe([...order("abc")].map((id) => ({ a: "e", b: "d", c: "f" })[id]).join(""));
  });

  it("shows a graph with a cycle too", () => {
    const at = layered([..."abc"], edges("ab", "bc", "ca", "aa"));
    expect(at.size).toBe(3);
  });

  it("passes over edges to nodes that are not there", () => {
    expect(layered(["a"], edges("ax", "xa")).size).toBe(1);
  });
});

describe("placeNodes", () => {
  it("takes the places of the file", () => {
    const given = new Map([
      ["a", { x: 3, y: 4 }],
      ["b", { x: 30, y: 40 }],
    ]);
    expect(placeNodes(["a", "b"], given, [])).toEqual(given);
  });

  it("puts the few without a place below the others", () => {
    const given = new Map(["a", "b", "c"].map((id, i) => [id, { x: i * COLUMN, y: 0 }]));
    expect(placeNodes(["a", "b", "c", "d"], given, []).get("d")?.y).toBeGreaterThan(0);
  });

  it("does not stack nodes that the file stacks", () => {
    const given = new Map(["a", "b", "c"].map((id) => [id, { x: 0, y: 0 }]));
    const places = [...placeNodes(["a", "b", "c"], given, edges("ab", "bc")).values()].map((at) => `${at.x},${at.y}`);
    expect(new Set(places).size).toBe(3);
  });
});

import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute } from "./route";

describe("the address", () => {
  it.each([
    { project: null, workflow: null, run: null },
    { project: "p1", workflow: null, run: null },
    { project: "p1", workflow: "measure", run: null },
    { project: "p/1 ü", workflow: "@sub/flow & more?.yaml", run: "0199-a" },
  ])("comes back from $project/$workflow/$run", (route) => expect(parseRoute(formatRoute(route))).toEqual(route));

  it("leads home when it makes no sense", () => {
    for (const hash of ["", "#", "#/elsewhere/x", "#/projects"]) expect(parseRoute(hash).project).toBeNull();
  });

  it("survives a percent sign typed by hand", () => {
    expect(parseRoute("#/projects/100%").project).toBe("100%");
  });
});

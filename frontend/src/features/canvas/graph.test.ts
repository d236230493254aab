import { describe, expect, it } from "vitest";
import type { BlockSpec, Catalog, Port, Workflow } from "../../api/types";
import { toGraph } from "./graph";

const port = (name: string, type: string): Port => ({
  name,
  accepted_types: [type],
  required: true,
  is_collection: false,
  description: "",
});
const smooth = {
  type_name: "smooth",
  name: "Smooth",
  base_category: "process",
  description: "",
  input_ports: [port("image", "Image")],
  output_ports: [port("image", "Image")],
} as unknown as BlockSpec;
const CATALOG: Catalog = { blocks: [smooth], types: [], failures: [] };
const node = (id: string, block_type: string) => ({ id, block_type, config: {}, execution_mode: "", layout: {} });
const edge = (source: string, target: string) => {
  const [source_node = "", source_port = ""] = source.split(":");
  const [target_node = "", target_port = ""] = target.split(":");
  return { source_node, source_port, target_node, target_port };
};
const WORKFLOW = {
  nodes: [node("a", "smooth"), node("b", "gone")],
  edges: [edge("a:image", "b:masks"), edge("a:image", "nowhere:in")],
} as unknown as Workflow;

describe("toGraph", () => {
  it("shows ports with their types, and those that only an edge names", () => {
    const [a, b] = toGraph(WORKFLOW, CATALOG, []).nodes;
    expect(a?.data.outputs).toMatchObject([{ name: "image", type: "Image" }]);
    expect(b?.data.inputs).toMatchObject([{ name: "masks", isOpen: true }]);
  });

  it("marks blocks that are not installed once the catalog is known, not before", () => {
    const unresolved = (catalog?: Catalog) => toGraph(WORKFLOW, catalog, []).nodes.map((one) => one.data.isUnresolved);
    expect(unresolved(CATALOG)).toEqual([false, true]);
    expect(unresolved()).toEqual([false, false]);
  });

  it("leaves out edges that lead nowhere", () => {
    expect(toGraph(WORKFLOW, CATALOG, []).edges.map((one) => one.id)).toEqual(["a:image->b:masks"]);
  });

  it("marks a node with its worst problem", () => {
    const problem = { code: "", message: "", port: "", hint: "", line: 0 };
    const graph = toGraph(WORKFLOW, CATALOG, [
      { ...problem, node: "a", severity: "error" },
      { ...problem, node: "a", severity: "warning" },
    ]);
    expect(graph.nodes.map((one) => one.data.problem)).toEqual(["error", null]);
  });
});

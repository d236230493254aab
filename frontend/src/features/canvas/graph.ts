import type { Edge, Node } from "@xyflow/react";
import type { BlockSpec, Catalog, Port, Problem, TypeSpec, Workflow, WorkflowNode } from "../../api/types";
import { categoryOf, typeColour } from "./colours";
import { placeNodes, type Point } from "./layout";

export interface NodePort {
  name: string;
  /** What it takes or gives, as shown. */
  type: string;
  colour: string;
  required: boolean;
  /** Takes anything. */
  isOpen: boolean;
}

export interface BlockData extends Record<string, unknown> {
  label: string;
  blockType: string;
  description: string;
  category: string;
  inputs: NodePort[];
  outputs: NodePort[];
  /** Its block type is not installed. */
  isUnresolved: boolean;
  problem: Problem["severity"] | null;
}

export type BlockFlowNode = Node<BlockData, "block">;

export interface Graph {
  nodes: BlockFlowNode[];
  edges: Edge[];
}

/** What the canvas shows of a workflow. Without a catalog yet, ports are those that edges name. */
export function toGraph(workflow: Workflow, catalog: Catalog | undefined, problems: readonly Problem[]): Graph {
  const specs = new Map(catalog?.blocks.map((spec) => [spec.type_name, spec]));
  const types = new Map(catalog?.types.map((type) => [type.name, type]));
  const edges = workflow.edges.map((edge) => ({ source: edge.source_node, target: edge.target_node }));
  const ids = workflow.nodes.map((node) => node.id);
  const positions = placeNodes(ids, positionsInFile(workflow), edges);
  const severity = worstByNode(problems);
  const used = usedPorts(workflow);
  const nodes = workflow.nodes.map((node): BlockFlowNode => {
    const data = blockData(node, specs.get(node.block_type), types, used.get(node.id));
    const isUnresolved = catalog !== undefined && !specs.has(node.block_type);
    return {
      id: node.id,
      type: "block",
      position: positions.get(node.id) ?? { x: 0, y: 0 },
      data: { ...data, isUnresolved, problem: severity.get(node.id) ?? null },
    };
  });
  return { nodes, edges: flowEdges(workflow, nodes) };
}

interface UsedPorts {
  inputs: Set<string>;
  outputs: Set<string>;
}

function usedPorts(workflow: Workflow): Map<string, UsedPorts> {
  const used = new Map(workflow.nodes.map((node): [string, UsedPorts] => [node.id, { inputs: new Set(), outputs: new Set() }]));
  for (const edge of workflow.edges) {
    used.get(edge.source_node)?.outputs.add(edge.source_port);
    used.get(edge.target_node)?.inputs.add(edge.target_port);
  }
  return used;
}

function blockData(node: WorkflowNode, spec: BlockSpec | undefined, types: ReadonlyMap<string, TypeSpec>, used: UsedPorts | undefined) {
  return {
    label: spec?.name ?? node.block_type,
    blockType: node.block_type,
    description: spec?.description ?? "",
    category: categoryOf(spec?.base_category ?? ""),
    inputs: ports(spec?.input_ports ?? [], used?.inputs ?? new Set(), types),
    outputs: ports(spec?.output_ports ?? [], used?.outputs ?? new Set(), types),
  };
}

/** Declared ports, then those that only edges name: a block may make ports from its configuration. */
function ports(declared: readonly Port[], used: ReadonlySet<string>, types: ReadonlyMap<string, TypeSpec>): NodePort[] {
  const shown = declared.map((port): NodePort => {
    const type = port.accepted_types.join(" or ") || "any type";
    return {
      name: port.name,
      type: port.is_collection ? `${type}, several` : type,
      colour: typeColour(port.accepted_types[0], types),
      required: port.required,
      isOpen: port.accepted_types.length === 0,
    };
  });
  const names = new Set(declared.map((port) => port.name));
  const extra = [...used]
    .filter((name) => !names.has(name))
    .map((name): NodePort => ({ name, type: "any type", colour: typeColour(undefined, types), required: false, isOpen: true }));
  return [...shown, ...extra];
}

function positionsInFile(workflow: Workflow): Map<string, Point> {
  const found = new Map<string, Point>();
  for (const { id, layout } of workflow.nodes) {
    const { x, y } = layout;
    if (x !== undefined && y !== undefined) found.set(id, { x, y });
  }
  return found;
}

function worstByNode(problems: readonly Problem[]): Map<string, Problem["severity"]> {
  const worst = new Map<string, Problem["severity"]>();
  for (const { node, severity } of problems) if (node !== "" && worst.get(node) !== "error") worst.set(node, severity);
  return worst;
}

function flowEdges(workflow: Workflow, nodes: readonly BlockFlowNode[]): Edge[] {
  const byId = new Map(nodes.map((node) => [node.id, node.data]));
  const known = workflow.edges.filter((edge) => byId.has(edge.source_node) && byId.has(edge.target_node));
  return known.map((edge) => {
    const port = byId.get(edge.source_node)?.outputs.find((output) => output.name === edge.source_port);
    const from = `${edge.source_node}:${edge.source_port}`;
    const to = `${edge.target_node}:${edge.target_port}`;
    return {
      id: `${from}->${to}`,
      source: edge.source_node,
      sourceHandle: edge.source_port,
      target: edge.target_node,
      targetHandle: edge.target_port,
      style: { stroke: port?.colour ?? "var(--edge)" },
      ariaLabel: `${from} to ${to}${port ? `, ${port.type}` : ""}`,
      focusable: false,
      interactionWidth: 0, // nothing to do with an edge yet: no wide invisible path to look through at each move
    };
  });
}

/** The gateway's representations, as its REST contract names them. */

export type RunState = "queued" | "running" | "paused" | "completed" | "completed_with_failures" | "failed" | "cancelled";
export type BlockState = "idle" | "ready" | "running" | "paused" | "done" | "error" | "cancelled" | "skipped";

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Project {
  id: string;
  name: string;
  path: string;
  description: string;
  opened_at: string | null;
  is_open: boolean;
}

export interface WorkflowSummary {
  id: string;
  path: string;
  description: string;
  n_nodes: number;
  /** Why the file cannot be read as a workflow; empty when it can. */
  problem: string;
}

export interface WorkflowNode {
  id: string;
  block_type: string;
  config: Record<string, unknown>;
  execution_mode: string;
  layout: Record<string, number> | null;
}

export interface WorkflowEdge {
  source_node: string;
  source_port: string;
  target_node: string;
  target_port: string;
}

export interface Workflow {
  id: string;
  path: string;
  version: string;
  description: string;
  nodes: WorkflowNode[];
  edges: WorkflowEdge[];
  text: string;
}

export interface Problem {
  severity: "error" | "warning";
  code: string;
  message: string;
  node: string;
  port: string;
  hint: string;
  line: number;
}

export interface Validation {
  valid: boolean;
  problems: Problem[];
}

export interface Port {
  name: string;
  /** Empty: anything. */
  accepted_types: string[];
  required: boolean;
  is_collection: boolean;
  description: string;
}

export interface BlockSpec {
  type_name: string;
  name: string;
  description: string;
  version: string;
  base_category: string;
  subcategory: string;
  input_ports: Port[];
  output_ports: Port[];
  ui_color: string;
  source: string;
  package_name: string;
}

export interface TypeSpec {
  name: string;
  base_type: string;
  description: string;
  ui_color: string;
  type_chain: string[];
}

export interface LoadFailure {
  file_path: string;
  error_type: string;
  message: string;
}

export interface Catalog {
  blocks: BlockSpec[];
  types: TypeSpec[];
  failures: LoadFailure[];
}

export interface ErrorInfo {
  code: string;
  message: string;
  subject: string;
  hint: string;
}

export interface OutputSummary {
  port: string;
  type_name: string;
  n_items: number;
}

export interface NodeRun {
  node_id: string;
  block_type: string;
  state: BlockState;
  execution_id: string;
  started_at: string | null;
  ended_at: string | null;
  error: ErrorInfo | null;
  traceback: string;
  reason: string;
  outputs: OutputSummary[];
  progress: number;
  progress_message: string;
  warnings: string[];
}

export interface Run {
  id: string;
  project_id: string;
  workflow_id: string;
  workflow_path: string;
  state: RunState;
  created_at: string;
  ended_at: string | null;
  reason: string;
  triggered_by: string;
  nodes: NodeRun[];
}

export interface LogLine {
  /** From 1, within one node of one run. */
  line: number;
  time: string;
  node_id: string;
  stream: string;
  level: string;
  text: string;
}

export interface LogPage {
  items: LogLine[];
  truncated: boolean;
}

export type ItemKind = "array" | "table" | "text" | "file" | "composite" | "object";

export interface OutputItem {
  index: number;
  name: string;
  type_name: string;
  type_chain: string[];
  kind: ItemKind;
  summary: string;
}

export interface OutputPage extends Page<OutputItem> {
  port: string;
  type_name: string;
  n_items: number;
}

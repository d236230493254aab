import type { components } from "./schema";

/** The gateway's representations, under the names that the page uses. */
type Schemas = components["schemas"];

export type Project = Schemas["Project"];
export type WorkflowSummary = Schemas["WorkflowSummary"];
export type Workflow = Schemas["Workflow"];
export type WorkflowNode = Schemas["Node"];
export type WorkflowEdge = Schemas["Edge"];
export type Problem = Schemas["ValidationProblem"];
export type Validation = Schemas["Validation"];
export type Port = Schemas["Port"];
export type BlockSpec = Schemas["BlockSpec"];
export type TypeSpec = Schemas["TypeSpec"];
export type LoadFailure = Schemas["LoadFailure"];
export type Catalog = Schemas["Catalog"];
export type ErrorInfo = Schemas["ErrorInfo"];
export type OutputSummary = Schemas["OutputSummary"];
export type NodeRun = Schemas["NodeRun"];
export type Run = Schemas["Run"];
export type LogLine = Schemas["LogLine"];
export type LogPage = Schemas["LogPage"];
export type OutputItem = Schemas["OutputItem"];
export type RunState = Run["state"];
export type BlockState = NodeRun["state"];
export type ItemKind = OutputItem["kind"];

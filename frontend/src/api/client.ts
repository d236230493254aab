import { apiUrl, request, requestJson } from "./http";
import type { Catalog, LogPage, OutputPage, Page, Project, Run, Validation, Workflow, WorkflowSummary } from "./types";

type Signal = AbortSignal | undefined;

/** A project's workflow may be named by a path; it is one part of the address, encoded. */
export const api = {
  openSession: (token: string) => request(apiUrl(["session"]), { method: "POST", body: { token } }),

  listProjects: (signal?: Signal) => requestJson<Page<Project>>(apiUrl(["projects"]), { signal }),
  getProject: (project: string, signal?: Signal) => requestJson<Project>(apiUrl(["projects", project]), { signal }),
  addProject: (path: string) => requestJson<Project>(apiUrl(["projects"]), { method: "POST", body: { path, existing: true } }),
  forgetProject: (project: string) => request(apiUrl(["projects", project]), { method: "DELETE" }),
  setProjectOpen: (project: string, isOpen: boolean) => requestJson<Project>(apiUrl(["projects", project]), { method: "PATCH", body: { is_open: isOpen } }),

  listWorkflows: (project: string, signal?: Signal) => requestJson<Page<WorkflowSummary>>(apiUrl(["projects", project, "workflows"]), { signal }),
  getWorkflow: (project: string, workflow: string, signal?: Signal) =>
    requestJson<Workflow>(apiUrl(["projects", project, "workflows", workflow]), { signal }),
  validateWorkflow: (project: string, workflow: string, signal?: Signal) =>
    requestJson<Validation>(apiUrl(["projects", project, "workflows", workflow, "validation"]), { method: "POST", signal }),
  getCatalog: (project: string, rescan: boolean, signal?: Signal) =>
    requestJson<Catalog>(apiUrl(["projects", project, "catalog"], { rescan: rescan || undefined }), { signal }),

  startRun: (project: string, workflow: string, runId: string) =>
    requestJson<Run>(apiUrl(["projects", project, "runs"]), { method: "POST", body: { workflow, run_id: runId } }),
  listRuns: (project: string, workflow: string, cursor: string | null, signal?: Signal) =>
    requestJson<Page<Run>>(apiUrl(["projects", project, "runs"], { workflow, cursor, limit: 50 }), { signal }),
  getRun: (project: string, run: string, signal?: Signal) => requestJson<Run>(apiUrl(["projects", project, "runs", run]), { signal }),
  cancelRun: (project: string, run: string) =>
    requestJson<Run>(apiUrl(["projects", project, "runs", run]), { method: "PATCH", body: { state: "cancelled" } }),
  cancelNode: (project: string, run: string, node: string) =>
    requestJson<unknown>(apiUrl(["projects", project, "runs", run, "nodes", node]), { method: "PATCH", body: { state: "cancelled" } }),

  readLogs: (project: string, run: string, node: string, after: number, signal?: Signal) =>
    requestJson<LogPage>(apiUrl(["projects", project, "logs"], { run, node, after: after || undefined, limit: 1000 }), { signal }),

  listOutputs: (project: string, run: string, node: string, port: string, cursor: string | null, signal?: Signal) =>
    requestJson<OutputPage>(apiUrl(["projects", project, "runs", run, "nodes", node, "outputs", port], { cursor, limit: 100 }), { signal }),
};

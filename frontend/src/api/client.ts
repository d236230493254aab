import createClient from "openapi-fetch";
import { BASE, send } from "./http";
import type { paths } from "./schema";
import type { LogPage } from "./types";

/** Types come from the gateway's OpenAPI: a path or a field that is not there does not compile. */
const http = createClient<paths>({ baseUrl: BASE, fetch: send, credentials: "same-origin" });

type Signal = AbortSignal | undefined;

/** One item on an output port of a run. */
export interface ItemSource {
  project: string;
  run: string;
  node: string;
  port: string;
  index: number;
}

export type OutputSource = Omit<ItemSource, "index">;

/** A body that is no JSON, and the header that says what it is. */
export interface Binary {
  header: unknown;
  body: ArrayBuffer;
}

async function body<T>(answer: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  return (await answer).data as NonNullable<T>; // `send` has thrown unless there is one
}

async function binary(answer: Promise<{ data?: ArrayBuffer; response: Response }>): Promise<Binary> {
  const { data, response } = await answer;
  return { header: JSON.parse(response.headers.get("SciStudio-Data") ?? "{}"), body: data ?? new ArrayBuffer(0) };
}

const OUTPUT = "/api/v1/projects/{project}/runs/{run}/nodes/{node}/outputs/{port}";
const options = (signal: Signal) => ({ signal: signal ?? null });

export const api = {
  openSession: (token: string) => http.POST("/api/v1/session", { body: { token } }),

  listProjects: (signal?: Signal) => body(http.GET("/api/v1/projects", options(signal))),
  getProject: (project: string, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}", { params: { path: { project } }, ...options(signal) })),
  addProject: (path: string) => body(http.POST("/api/v1/projects", { body: { path, existing: true } })),
  forgetProject: (project: string) => http.DELETE("/api/v1/projects/{project}", { params: { path: { project } } }),
  setProjectOpen: (project: string, isOpen: boolean) =>
    body(http.PATCH("/api/v1/projects/{project}", { params: { path: { project } }, body: { is_open: isOpen } })),

  listWorkflows: (project: string, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}/workflows", { params: { path: { project } }, ...options(signal) })),
  getWorkflow: (project: string, workflow: string, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}/workflows/{workflow}", { params: { path: { project, workflow } }, ...options(signal) })),
  validateWorkflow: (project: string, workflow: string, signal?: Signal) =>
    body(
      http.POST("/api/v1/projects/{project}/workflows/{workflow}/validation", {
        params: { path: { project, workflow } },
        ...options(signal),
      }),
    ),
  getCatalog: (project: string, rescan: boolean, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}/catalog", { params: { path: { project }, query: { rescan } }, ...options(signal) })),

  startRun: (project: string, workflow: string, runId: string) =>
    body(http.POST("/api/v1/projects/{project}/runs", { params: { path: { project } }, body: { workflow, run_id: runId } })),
  listRuns: (project: string, workflow: string, cursor: string, signal?: Signal) =>
    body(
      http.GET("/api/v1/projects/{project}/runs", {
        params: { path: { project }, query: { workflow, cursor, limit: 50 } },
        ...options(signal),
      }),
    ),
  getRun: (project: string, run: string, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}/runs/{run}", { params: { path: { project, run } }, ...options(signal) })),
  cancelRun: (project: string, run: string) =>
    body(
      http.PATCH("/api/v1/projects/{project}/runs/{run}", { params: { path: { project, run } }, body: { state: "cancelled", reason: "" } }),
    ),
  cancelNode: (project: string, run: string, node: string) =>
    body(
      http.PATCH("/api/v1/projects/{project}/runs/{run}/nodes/{node}", {
        params: { path: { project, run, node } },
        body: { state: "cancelled", reason: "" },
      }),
    ),

  readLogs: (project: string, query: { run: string; node: string; after: number; limit: number }, signal?: Signal) =>
    body(http.GET("/api/v1/projects/{project}/logs", { params: { path: { project }, query }, ...options(signal) })) as Promise<LogPage>, // not the stream

  listOutputs: (source: OutputSource, cursor: string, signal?: Signal) =>
    body(http.GET(OUTPUT, { params: { path: source, query: { cursor, limit: 100 } }, ...options(signal) })),
  describeItem: (source: ItemSource, signal?: Signal) =>
    body(http.GET(`${OUTPUT}/{index}`, { params: { path: source }, ...options(signal) })),
  readArray: (
    source: ItemSource,
    query: { y?: number; x?: number; height?: number; width?: number; max_side: number; index: string[] },
    signal?: Signal,
  ) => binary(http.GET(`${OUTPUT}/{index}/array`, { params: { path: source, query }, parseAs: "arrayBuffer", ...options(signal) })),
  readTable: (source: ItemSource, query: { offset: number; limit: number }, signal?: Signal) =>
    binary(http.GET(`${OUTPUT}/{index}/table`, { params: { path: source, query }, parseAs: "arrayBuffer", ...options(signal) })),
  readText: (source: ItemSource, query: { offset: number; limit: number }, signal?: Signal) =>
    binary(http.GET(`${OUTPUT}/{index}/text`, { params: { path: source, query }, parseAs: "arrayBuffer", ...options(signal) })),
};

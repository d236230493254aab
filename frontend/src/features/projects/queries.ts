import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";

export const projectQueries = {
  all: ["projects"] as const,
  list: () => queryOptions({ queryKey: [...projectQueries.all, "list"], queryFn: ({ signal }) => api.listProjects(signal) }),
  detail: (project: string) =>
    queryOptions({ queryKey: [...projectQueries.all, project, "detail"], queryFn: ({ signal }) => api.getProject(project, signal) }),
};

export const workflowQueries = {
  list: (project: string) =>
    queryOptions({ queryKey: ["projects", project, "workflows"], queryFn: ({ signal }) => api.listWorkflows(project, signal) }),
  detail: (project: string, workflow: string) =>
    queryOptions({
      queryKey: ["projects", project, "workflows", workflow],
      queryFn: ({ signal }) => api.getWorkflow(project, workflow, signal),
    }),
  validation: (project: string, workflow: string) =>
    queryOptions({
      queryKey: ["projects", project, "workflows", workflow, "validation"],
      queryFn: ({ signal }) => api.validateWorkflow(project, workflow, signal),
    }),
  catalog: (project: string) =>
    queryOptions({
      queryKey: ["projects", project, "catalog"],
      queryFn: ({ signal }) => api.getCatalog(project, false, signal),
      staleTime: 60_000, // found by a probe in a worker: dearer than the rest
    }),
};

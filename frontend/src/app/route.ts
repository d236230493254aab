import { useMemo, useSyncExternalStore } from "react";

/** What the address says: `#/projects/<id>/workflows/<w>?run=<r>`, each part optional from the right. */
export interface Route {
  project: string | null;
  workflow: string | null;
  run: string | null;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const [root, project, branch, workflow] = path.split("/").filter(Boolean).map(decode);
  if (root !== "projects" || !project) return { project: null, workflow: null, run: null };
  if (branch !== "workflows" || !workflow) return { project, workflow: null, run: null };
  return { project, workflow, run: new URLSearchParams(query).get("run") };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

export function formatRoute({ project, workflow, run }: Route): string {
  if (project === null) return "#/";
  const base = `#/projects/${encodeURIComponent(project)}`;
  if (workflow === null) return base;
  const address = `${base}/workflows/${encodeURIComponent(workflow)}`;
  return run === null ? address : `${address}?run=${encodeURIComponent(run)}`;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function go(route: Partial<Route>, { replace = false } = {}): void {
  const hash = formatRoute({ project: null, workflow: null, run: null, ...route });
  if (!replace) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

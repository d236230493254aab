import { networkProblem, problemFrom } from "./problem";

export type Query = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>;

export interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  query?: Query;
  body?: unknown;
  accept?: string;
  signal?: AbortSignal | undefined;
}

const API = new URL("api/v1/", document.baseURI);

/** Path below `/api/v1`, each part encoded, with the values of `query` that are set. */
export function apiUrl(parts: readonly (string | number)[], query: Query = {}): URL {
  const url = new URL(parts.map((part) => encodeURIComponent(part)).join("/"), API);
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? (value as readonly (string | number)[]) : [value as string | number | boolean | null | undefined];
    for (const one of values) if (one !== undefined && one !== null && one !== "") url.searchParams.append(name, String(one));
  }
  return url;
}

type Listener = () => void;
const unauthenticated = new Set<Listener>();

/** Be told when an answer says that the session is over. Returns what stops it. */
export function onUnauthenticated(listener: Listener): () => void {
  unauthenticated.add(listener);
  return () => unauthenticated.delete(listener);
}

let clockOffsetMs = 0;

/** Now, by the server's clock: elapsed times must not depend on how this computer's is set. */
export const serverNow = (): number => Date.now() + clockOffsetMs;

function noteClock(response: Response): void {
  const date = Date.parse(response.headers.get("date") ?? "");
  const offset = date - Date.now();
  if (Number.isFinite(offset)) clockOffsetMs = Math.abs(offset) > 2_000 ? offset : 0; // the header has whole seconds
}

/** One request. Throws `ProblemError` unless the answer is a success; an abort stays an `AbortError`. */
export async function request(url: URL, options: RequestOptions = {}): Promise<Response> {
  const { method = "GET", body, accept = "application/json", signal } = options;
  const headers: Record<string, string> = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(url, { method, headers, signal: signal ?? null, credentials: "same-origin", body: body === undefined ? null : JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw networkProblem();
  }
  noteClock(response);
  if (response.ok) return response;
  if (response.status === 401) unauthenticated.forEach((listener) => listener());
  throw await problemFrom(response);
}

export async function requestJson<T>(url: URL, options: RequestOptions = {}): Promise<T> {
  return (await (await request(url, options)).json()) as T;
}

import { networkProblem, problemFrom } from "./problem";

export type Query = Record<string, string | number | undefined>;

/** Where the page lies: the gateway may serve it below a prefix. */
export const BASE = new URL(".", document.baseURI).href.replace(/\/$/, "");

/** Path below `/api/v1`, each part encoded, with the values of `query` that are set. */
export function apiUrl(parts: readonly (string | number)[], query: Query = {}): URL {
  const url = new URL(`${BASE}/api/v1/${parts.map((part) => encodeURIComponent(part)).join("/")}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
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
export async function send(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw networkProblem();
  }
  noteClock(response);
  if (response.ok) return response;
  if (response.status === 401) unauthenticated.forEach((listener) => listener());
  throw await problemFrom(response);
}

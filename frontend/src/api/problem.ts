/** RFC 9457 problem JSON, as the gateway sends it. */
interface ProblemBody {
  title?: string;
  detail?: string;
  code?: string;
  subject?: string;
  hint?: string;
  trace_id?: string;
}

/** A request that did not succeed, in words that a person can act on. */
export class ProblemError extends Error {
  override name = "ProblemError";

  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly traceId = "",
  ) {
    super(message);
  }
}

export function networkProblem(): ProblemError {
  return new ProblemError(
    0,
    "page.no_answer",
    "SciStudio does not answer.",
    "Check that `scistudio up` still runs and that this computer is connected.",
  );
}

/** Read an unsuccessful answer. A body that is no problem JSON (a proxy's page) still gives status and title. */
export async function problemFrom(response: Response): Promise<ProblemError> {
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const body = isJson ? ((await response.json().catch(() => ({}))) as ProblemBody) : {};
  const text = body.detail ?? body.title ?? `The server answered ${response.status} ${response.statusText}.`;
  return new ProblemError(response.status, body.code ?? "page.http_error", text, body.hint, body.trace_id);
}

/** What to show for any thrown value. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(0, "page.fault", error instanceof Error ? error.message : String(error));
}

// Calls of the admin API. The browser adds the session's cookie.

/** A call that the gateway refused, or that did not reach it. */
export class ApiError extends Error {
  /** The status of the response; 0 without one. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Problem {
  readonly detail?: string;
  readonly problems?: readonly string[];
}

async function problemOf(response: Response): Promise<string> {
  try {
    const { detail = "", problems = [] } = (await response.json()) as Problem;
    return [detail, ...problems.filter((problem) => !detail.includes(problem))].join(" ");
  } catch {
    return `The gateway answered with status ${String(response.status)}.`;
  }
}

interface CallOptions {
  readonly body?: object;
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the admin API, and returns the JSON of its response. */
export async function call<Result>(method: string, path: string, options: CallOptions = {}): Promise<Result> {
  const { body, token, signal } = options;
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The gateway cannot be reached.");
  }
  if (!response.ok) throw new ApiError(response.status, await problemOf(response));
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

/** The text of an error, for people. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error says that there is no session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

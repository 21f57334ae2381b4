// Calls of the admin API. The browser adds the session's cookie.

/** A call that the gateway refused, or that did not reach it. */
export class ApiError extends Error {
  /** The status of the response; 0 without one. */
  readonly status: number;
  /** What is wrong, for errors that can have several problems. The message lacks them. */
  readonly problems: readonly string[];

  constructor(status: number, message: string, problems: readonly string[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

interface Problem {
  readonly detail?: string;
  readonly problems?: readonly string[];
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { detail = "", problems = [] } = (await response.json()) as Problem;
    const others = problems.filter((problem) => !detail.includes(problem));
    return new ApiError(status, detail, others);
  } catch {
    return new ApiError(status, `The gateway answered with status ${String(status)}.`);
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
  if (!response.ok) throw await errorOf(response);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

/** The problems of an error, which its message lacks. */
export function problemsOf(error: unknown): readonly string[] {
  return error instanceof ApiError ? error.problems : [];
}

/** The text of an error, for people. */
export function textOf(error: unknown): string {
  return error instanceof Error ? [error.message, ...problemsOf(error)].join(" ") : String(error);
}

/** Whether an error says that there is no session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

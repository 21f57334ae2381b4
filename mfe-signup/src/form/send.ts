import type { SignupFields } from "./validation";

/** URL path of the gateway's sign-up endpoint, for the form and for `fetch`. */
export const SIGNUP_PATH = "/functions/v1/signup";

/** Generic error message. */
export const SIGNUP_FAILED = "Signup failed. Please try again.";

/** Timeout of the request. */
export const TIMEOUT_MS = 20_000;

/** Outcome of a sign-up request. */
export type Outcome = (
  | { readonly kind: "created"; readonly redirectUrl: unknown }
  /** The gateway rejected the sign-up. `error` is shown to the visitor. */
  | { readonly kind: "rejected"; readonly error: string }
  /** The gateway or the backend is unreachable. `cause` is for the console and contains no personal data. */
  | { readonly kind: "unreachable"; readonly cause: string }
  | { readonly kind: "canceled" }
) & {
  /**
   * What is certain of a sign-up that failed: it was refused; or it did not reach the backend, because the gateway stopped it or the
   * browser is offline.
   */
  readonly result?: "refused" | "stopped" | "unsent";
};

interface ResponseBody {
  readonly redirectUrl?: unknown;
  readonly error?: unknown;
  readonly unreachable?: unknown;
  /** Whether the gateway did not call the backend. */
  readonly stopped?: unknown;
}

const UNREACHABLE_STATUSES = new Set([502, 503, 504]);

/** Sends a sign-up once. Never rejects. Aborting `cancel` cancels it. */
export async function sendSignup(fields: SignupFields, cancel: AbortSignal): Promise<Outcome> {
  const request = new AbortController();
  const abort = (): void => {
    request.abort();
  };
  cancel.addEventListener("abort", abort);
  const timer = setTimeout(abort, TIMEOUT_MS);
  const outcomeOfFailure = (fallback: Outcome): Outcome => {
    if (cancel.aborted) return { kind: "canceled" };
    return request.signal.aborted ? { kind: "unreachable", cause: "timeout" } : fallback;
  };
  // A failed request does not say whether it was sent.
  const unsent = navigator.onLine ? {} : ({ result: "unsent" } as const);
  try {
    const response = await fetch(SIGNUP_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ email: fields.email, password: fields.password, age: fields.age }),
      credentials: "same-origin",
      cache: "no-store",
      // The endpoint never redirects: following a redirect would send the password elsewhere.
      redirect: "manual",
      signal: request.signal,
    }).catch(() => null);
    if (!response) return outcomeOfFailure({ kind: "unreachable", cause: "no response", ...unsent });
    const text = await response.text().catch(() => null);
    // The gateway responded, so a truncated body is an error, not unreachable.
    if (text === null) return outcomeOfFailure({ kind: "rejected", error: SIGNUP_FAILED });
    return cancel.aborted ? { kind: "canceled" } : readOutcome(response, text);
  } finally {
    clearTimeout(timer);
    cancel.removeEventListener("abort", abort);
  }
}

function resultOf({ status }: Response, body: ResponseBody | null): Pick<Outcome, "result"> {
  if (body?.stopped === true) return { result: "stopped" };
  // After another error, there may be an account. A response without an object is not the gateway's.
  return body && status >= 400 && status < 500 ? { result: "refused" } : {};
}

function readOutcome(response: Response, text: string): Outcome {
  const body = parseObject(text);
  const result = resultOf(response, body);
  if (!body) return { kind: "rejected", error: SIGNUP_FAILED, ...result };
  if (response.ok) return { kind: "created", redirectUrl: body.redirectUrl };
  if (body.unreachable === true && UNREACHABLE_STATUSES.has(response.status)) {
    return { kind: "unreachable", cause: `HTTP ${String(response.status)}`, ...result };
  }
  const { error } = body;
  const isText = typeof error === "string" && error.trim() !== "";
  return { kind: "rejected", error: isText ? error : SIGNUP_FAILED, ...result };
}

function parseObject(text: string): ResponseBody | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

import type { SignupFields } from "./rules";

/** Where the form posts to, with and without script: the gateway, on the site's own origin. */
export const SIGNUP_PATH = "/functions/v1/signup";

/** What a failed sign-up says where the answer says nothing better. */
export const SIGNUP_FAILED = "Signup failed. Please try again.";

/** How long an answer is waited for. */
export const DEADLINE_MS = 20_000;

/** What came of a sign-up that was sent. */
export type Outcome =
  | { readonly kind: "created"; readonly redirectUrl: unknown }
  /** The answer says no: `error` is for the visitor. */
  | { readonly kind: "refused"; readonly error: string }
  /** Nobody could answer: `cause` is for the console and holds nothing personal. */
  | { readonly kind: "unreachable"; readonly cause: string }
  | { readonly kind: "cancelled" };

interface Answer {
  readonly redirectUrl?: unknown;
  readonly error?: unknown;
  readonly unreachable?: unknown;
}

const UNREACHABLE = new Set([502, 503, 504]);

/** Sends a sign-up once. Never rejects; aborting `cancel` gives it up. */
export async function sendSignup(fields: SignupFields, cancel: AbortSignal): Promise<Outcome> {
  const request = new AbortController();
  const giveUp = (): void => {
    request.abort();
  };
  cancel.addEventListener("abort", giveUp);
  const deadline = setTimeout(giveUp, DEADLINE_MS);
  const broken = (otherwise: Outcome): Outcome => {
    if (cancel.aborted) return { kind: "cancelled" };
    return request.signal.aborted ? { kind: "unreachable", cause: "no answer in time" } : otherwise;
  };
  try {
    const response = await fetch(SIGNUP_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ email: fields.email, password: fields.password, age: fields.age }),
      credentials: "same-origin",
      cache: "no-store",
      // The gateway answers by itself: a redirect would carry the password on to somewhere else.
      redirect: "manual",
      signal: request.signal,
    }).catch(() => null);
    if (!response) return broken({ kind: "unreachable", cause: "no answer" });
    const text = await response.text().catch(() => null);
    // Here somebody did answer, so a body that breaks off is a failure, but not out of reach.
    if (text === null) return broken({ kind: "refused", error: SIGNUP_FAILED });
    return cancel.aborted ? { kind: "cancelled" } : read(response, text);
  } finally {
    clearTimeout(deadline);
    cancel.removeEventListener("abort", giveUp);
  }
}

function read(response: Response, text: string): Outcome {
  const answer = parseObject(text);
  if (!answer) return { kind: "refused", error: SIGNUP_FAILED };
  if (response.ok) return { kind: "created", redirectUrl: answer.redirectUrl };
  if (answer.unreachable === true && UNREACHABLE.has(response.status)) {
    return { kind: "unreachable", cause: `HTTP ${String(response.status)}` };
  }
  const { error } = answer;
  return { kind: "refused", error: typeof error === "string" && error.trim() !== "" ? error : SIGNUP_FAILED };
}

function parseObject(text: string): Answer | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

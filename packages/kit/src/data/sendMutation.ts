import { isPagePath } from "@colonnade/kit";
import type { StandardSchemaV1 } from "@standard-schema/spec";

import { validateResult, type QueryResult } from "../queries.js";

/** What a mutation sends: form data, or fields by name. */
export type MutationBody = FormData | URLSearchParams | Readonly<Record<string, string>>;

/** The outcome of a mutation: the value of the JSON response, the page of a redirect, or an error for the visitor. */
export type MutationOutcome<Value> =
  | { readonly ok: true; readonly page: string }
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly httpStatus: number; readonly error: string };

// In milliseconds. Longer than the gateway waits for an upstream by default, so that its response says what happened.
const TIMEOUT = 30_000;
const UNREACHABLE = "The site cannot be reached. Check your connection and try again.";
const FAILED = "This did not work. Try again.";

/** Form-encoded, unless there is a file: also a file input without a file has one. */
function encode(body: MutationBody): FormData | URLSearchParams {
  if (!(body instanceof FormData)) return new URLSearchParams(body);
  const fields = [...body].filter((field): field is [string, string] => typeof field[1] === "string");
  return fields.length === [...body].length ? new URLSearchParams(fields) : body;
}

interface ReceivedResponse extends Pick<Response, "ok" | "status" | "redirected" | "url"> {
  readonly text: string;
}

/** Undefined if the site cannot be reached, or does not respond in time. */
async function post(path: string, body: MutationBody): Promise<ReceivedResponse | undefined> {
  const encoded = encode(body);
  try {
    const response = await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      headers: { accept: "application/json" },
      body: encoded,
      // How long files take depends on the visitor's connection. The gateway ends those that stall.
      signal: encoded instanceof FormData ? null : AbortSignal.timeout(TIMEOUT),
    });
    const { ok, status, redirected, url } = response;
    return { ok, status, redirected, url, text: await response.text() };
  } catch {
    return undefined;
  }
}

function parse(text: string): QueryResult {
  if (text === "") return { ok: true, value: null };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false, status: 502 };
  }
}

function errorOf(result: QueryResult): string {
  const { error } = (result.ok && result.value !== null ? result.value : {}) as { readonly error?: unknown };
  return typeof error === "string" ? error : FAILED;
}

/** Posts a body to a path, once. Never rejects, unless the schema throws. */
export async function sendMutation<Value>(
  path: string,
  body: MutationBody,
  schema: StandardSchemaV1<unknown, Value> | undefined,
): Promise<MutationOutcome<Value>> {
  const response = await post(path, body);
  if (!response) return { ok: false, httpStatus: 0, error: UNREACHABLE };
  const { ok, status, redirected, url, text } = response;
  // A redirect below `/api/` leads to JSON, and not to a page.
  if (ok && redirected && isPagePath(new URL(url).pathname)) return { ok: true, page: url };
  const result = parse(text);
  if (!ok) return { ok: false, httpStatus: status, error: errorOf(result) };
  const validated = await validateResult(result, schema);
  return validated.ok ? validated : { ok: false, httpStatus: validated.status, error: FAILED };
}

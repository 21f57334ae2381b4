import { GatewayError, UsageError } from "../build/usageError.js";
import { sendRequest, type RequestBody } from "./http.js";

/** URL and credentials of the gateway's admin API. */
export interface AdminAccess {
  /** `COLONNADE_ADMIN`, or the default URL. */
  readonly url: string;
  /** Bearer token from `COLONNADE_TOKEN`. Not an argument, because process lists show arguments. */
  readonly token: string;
}

/** Problem details (RFC 9457), the body of an error response. */
interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly problems?: readonly string[];
}

// Characters that an HTTP header value can carry.
const TOKEN = /^[\x21-\x7e]+$/;
const DEFAULT_URL = "http://127.0.0.1:9090";

/**
 * Reads the URL and token from the environment.
 *
 * @throws UsageError when the URL is invalid, or the token is missing or invalid.
 */
export function adminAccess(environment: NodeJS.ProcessEnv): AdminAccess {
  const { COLONNADE_ADMIN: url = DEFAULT_URL, COLONNADE_TOKEN: token } = environment;
  if (!isBaseUrl(url))
    throw new UsageError(
      `COLONNADE_ADMIN is not the URL of an admin listener; expected http(s)://host:port, such as ${DEFAULT_URL}`,
    );
  if (!token)
    throw new UsageError("COLONNADE_TOKEN is not set; expected the admin API token from the gateway operator");
  if (!TOKEN.test(token))
    throw new UsageError("COLONNADE_TOKEN contains whitespace or another character that is not allowed in a token");
  return { url: url.replace(/\/$/, ""), token };
}

/**
 * As {@link adminAccess}, for commands that also work without. Undefined unless both variables are set.
 *
 * @throws UsageError when one of them is invalid.
 */
export function optionalAccess(environment: NodeJS.ProcessEnv): AdminAccess | undefined {
  return environment.COLONNADE_ADMIN && environment.COLONNADE_TOKEN ? adminAccess(environment) : undefined;
}

// The URL appears in error messages, so it must not contain a password. Paths are appended to it.
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "");
}

/** Status and JSON body of a successful response. */
export interface AdminResponse<Data> {
  /** HTTP status, 200 to 299. */
  readonly status: number;
  /** The parsed JSON. */
  readonly body: Data;
}

/**
 * Calls the admin API.
 *
 * @throws GatewayError when the gateway is unreachable or responds with an error.
 * @throws UsageError when the response is not one of the admin API.
 */
export async function callAdmin<Data>(
  access: AdminAccess,
  method: string,
  path: string,
  body?: RequestBody,
  signal?: AbortSignal,
): Promise<AdminResponse<Data>> {
  const url = `${access.url}${path}`;
  const headers = { authorization: `Bearer ${access.token}` };
  const { status, text } = await sendRequest(url, method, headers, body, signal).catch((error: unknown) => {
    throw new GatewayError(
      `cannot reach the gateway at ${access.url} (${reasonOf(error)}); check that COLONNADE_ADMIN is the URL of its admin listener`,
      "unavailable",
    );
  });
  if (status < 200 || status > 299) throw errorOf(status, describeError(access, `${method} ${path}`, status, text));
  try {
    return { status, body: JSON.parse(text) as Data };
  } catch {
    throw new UsageError(
      `${url} did not return JSON; check that COLONNADE_ADMIN is the URL of the gateway's admin listener`,
    );
  }
}

/** Calls the admin API with a JSON body. Undefined properties are omitted. */
export function postAdmin<Data>(access: AdminAccess, path: string, data: object): Promise<AdminResponse<Data>> {
  return callAdmin<Data>(access, "POST", path, { type: "application/json", bytes: JSON.stringify(data) });
}

function errorOf(status: number, message: string): UsageError {
  // The admin API does not redirect, so the URL is another server's.
  if (status < 400) return new UsageError(message);
  if (status >= 500) return new GatewayError(message, "unavailable");
  return new GatewayError(message, status === 401 || status === 403 ? "unauthorized" : "rejected");
}

// When a host name has several addresses and all refuse, Node's AggregateError has no message of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

function describeError({ url }: AdminAccess, call: string, status: number, text: string): string {
  const { title = "", detail, problems = [] } = parseProblem(text);
  const lines = [`${call}: ${String(status)} ${title}`.trimEnd()];
  if (detail) lines.push(detail);
  lines.push(...problems.map((problem) => `- ${problem}`));
  if (status === 401) lines.push("The token is that of COLONNADE_TOKEN; ask the gateway's operator for a valid one.");
  // Each error of the admin API has a title. A proxy in front of it knows its paths, or fails in other ways.
  if (title === "" && (status < 400 || status === 404 || status === 405))
    lines.push(
      `${url} did not respond as an admin listener; check that COLONNADE_ADMIN is its URL, not that of the site`,
    );
  return lines.join("\n");
}

// A proxy in front of the gateway may respond with plain text or HTML.
function parseProblem(text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null) return problem;
  } catch {
    // Not JSON.
  }
  return { detail: text };
}

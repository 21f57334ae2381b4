import { UsageError } from "../build/config.js";
import { exchange, type Body } from "./transport.js";

/** Where the gateway's admin listener is, and who we are there. */
export interface AdminAccess {
  /** `COLONNADE_ADMIN`, or the default address. */
  readonly url: string;
  /** `COLONNADE_TOKEN`: a bearer token, never an argument, so that it shows in no list of processes. */
  readonly token: string;
}

/** An answer of the admin API that is no success, as RFC 9457 has it. */
interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly problems?: readonly string[];
}

// What a header can carry.
const TOKEN = /^[\x21-\x7e]+$/;
const DEFAULT_URL = "http://127.0.0.1:9090";

/**
 * Reads the access from the environment.
 *
 * @throws UsageError when the address is none, or the token is missing or cannot be one.
 */
export function adminAccess(environment: NodeJS.ProcessEnv): AdminAccess {
  const { COLONNADE_ADMIN: url = DEFAULT_URL, COLONNADE_TOKEN: token } = environment;
  if (!isAddress(url))
    throw new UsageError(`COLONNADE_ADMIN is no address of an admin listener; expected one such as ${DEFAULT_URL}`);
  if (!token)
    throw new UsageError("COLONNADE_TOKEN is not set; expected the token that the gateway's operator gave you");
  if (!TOKEN.test(token))
    throw new UsageError("COLONNADE_TOKEN holds a space, a line break or another character that no token has");
  return { url: url.replace(/\/$/, ""), token };
}

// It is printed, so it must hold no password; and paths are put behind it.
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "");
}

/** The status and JSON body of a successful answer. */
export interface Answer<Data> {
  readonly status: number;
  readonly body: Data;
}

/**
 * Calls the admin API.
 *
 * @throws UsageError with the gateway's own words, or that it cannot be reached.
 */
export async function callAdmin<Data>(
  access: AdminAccess,
  method: string,
  path: string,
  body?: Body,
): Promise<Answer<Data>> {
  const url = `${access.url}${path}`;
  const { status, text } = await exchange(url, method, { authorization: `Bearer ${access.token}` }, body).catch(
    (error: unknown) => {
      throw new UsageError(
        `the gateway at ${access.url} cannot be reached (${reasonOf(error)}); COLONNADE_ADMIN says where its admin listener is`,
      );
    },
  );
  if (status < 200 || status > 299) throw new UsageError(describe(method, path, status, text));
  try {
    return { status, body: JSON.parse(text) as Data };
  } catch {
    throw new UsageError(`${url} answered no JSON; COLONNADE_ADMIN says where the gateway's admin listener is`);
  }
}

/** Calls the admin API with a JSON body. What is undefined is left out of it. */
export function postAdmin<Data>(access: AdminAccess, path: string, wish: object): Promise<Answer<Data>> {
  return callAdmin<Data>(access, "POST", path, { type: "application/json", bytes: JSON.stringify(wish) });
}

// Where a name has several addresses, none of which answers, Node's error has no words of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

function describe(method: string, path: string, status: number, text: string): string {
  const problem = readProblem(text);
  const lines = [`${method} ${path}: ${String(status)} ${problem.title ?? ""}`.trimEnd()];
  if (problem.detail) lines.push(problem.detail);
  for (const one of problem.problems ?? []) lines.push(`- ${one}`);
  return lines.join("\n");
}

// Whatever stands between us and the gateway answers in its own words.
function readProblem(text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null) return problem;
  } catch {
    // Plain text, or a proxy's HTML.
  }
  return { detail: text };
}

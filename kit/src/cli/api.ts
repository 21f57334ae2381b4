import { UsageError } from "../build/config.js";

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

/** A deployment as the admin API shows it. */
export interface Deployment {
  readonly number: number;
  /** Version by name of the section; the shell is one of them. */
  readonly releases: Readonly<Record<string, string>>;
}

// What a header can carry. Without this check fetch refuses others with a message that shows the token.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads the access from the environment.
 *
 * @throws UsageError when the token is missing or cannot be one.
 */
export function adminAccess(environment: NodeJS.ProcessEnv): AdminAccess {
  const { COLONNADE_ADMIN: url = "http://127.0.0.1:9090", COLONNADE_TOKEN: token } = environment;
  if (!token)
    throw new UsageError("COLONNADE_TOKEN is not set; expected the token that the gateway's operator gave you");
  if (!TOKEN.test(token))
    throw new UsageError("COLONNADE_TOKEN holds a space, a line break or another character that no token has");
  return { url: url.replace(/\/$/, ""), token };
}

/** The status and JSON body of a successful answer. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/**
 * Calls the admin API.
 *
 * @throws UsageError with the gateway's own words, or that it cannot be reached.
 */
export async function callAdmin<Body>(
  access: AdminAccess,
  method: string,
  path: string,
  body: { type: string; bytes: Uint8Array<ArrayBuffer> | string },
): Promise<Answer<Body>> {
  const url = `${access.url}${path}`;
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${access.token}`, "content-type": body.type },
    body: body.bytes,
  }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new UsageError(
      `the gateway at ${access.url} cannot be reached (${cause}); COLONNADE_ADMIN says where its admin listener is`,
    );
  });
  const text = await response.text();
  if (!response.ok) throw new UsageError(describe(method, path, response.status, text));
  try {
    return { status: response.status, body: JSON.parse(text) as Body };
  } catch {
    throw new UsageError(`${url} answered no JSON; COLONNADE_ADMIN says where the gateway's admin listener is`);
  }
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

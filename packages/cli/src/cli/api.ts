import { readFileSync } from "node:fs";
import type { SourceMapPayload } from "node:module";

import { GatewayError, reasonOf, UsageError } from "../build/usageError.js";
import { readCredentials } from "./credentials.js";
import { isPrivate, sendRequest, type RequestBody, type RequestOptions } from "./http.js";
import { githubToken, personToken, type IdentityProvider } from "./identity.js";
import { createLocate, locateErrors, type Locate } from "./locate.js";

/** URL and credentials of the gateway's admin API. */
export interface AdminAccess {
  /** `COLONNADE_ADMIN`, or the default URL. */
  readonly url: string;
  /**
   * The bearer token. The command takes it from no argument, because process lists show arguments. Undefined: the
   * certificate says who calls.
   */
  readonly token?: string | undefined;
  /** What to do if the gateway refuses the token or the certificate. */
  readonly advice?: string | undefined;
  /** The certificate chain of the client and its private key, in PEM, if it has one. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** The admin listener without a token. */
export type AdminTarget = Pick<AdminAccess, "url" | "certificate">;

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
 * The URL of the admin listener.
 *
 * @throws UsageError when it is invalid.
 */
export function adminUrl({ COLONNADE_ADMIN: url = DEFAULT_URL }: NodeJS.ProcessEnv): string {
  if (!isBaseUrl(url))
    throw new UsageError(
      `COLONNADE_ADMIN is not the URL of an admin listener; expected http(s)://host:port, such as ${DEFAULT_URL}`,
    );
  if (!isPrivate(url))
    throw new UsageError(
      `COLONNADE_ADMIN has http, with which others can read the token on its way to ${new URL(url).host}; expected https, or an address of this machine`,
    );
  return url.replace(/\/$/, "");
}

/** The admin listener without a token, for the calls that need none. */
export function adminTarget(environment: NodeJS.ProcessEnv): AdminTarget {
  return { url: adminUrl(environment), certificate: certificateOf(environment) };
}

/**
 * Finds out how to reach the admin API: by the environment, or as the person who has signed in.
 *
 * @throws UsageError when the URL or the token is invalid, or there is neither a token nor a certificate.
 */
export async function adminAccess(environment: NodeJS.ProcessEnv): Promise<AdminAccess> {
  const target = adminTarget(environment);
  const source = await tokenSource(environment, target);
  if (!source)
    throw new UsageError(
      "COLONNADE_TOKEN is not set; expected the admin API token from the gateway operator, or a sign-in with `colonnade login`",
    );
  return { ...target, ...source };
}

/**
 * As {@link adminAccess}, for commands that also work without. Undefined unless there are a URL and a token or a
 * certificate.
 *
 * @throws UsageError when one of them is invalid.
 */
export async function optionalAccess(environment: NodeJS.ProcessEnv): Promise<AdminAccess | undefined> {
  const { COLONNADE_ADMIN: url, COLONNADE_TOKEN, COLONNADE_TOKEN_FILE, ACTIONS_ID_TOKEN_REQUEST_URL } = environment;
  if (!url) return undefined;
  const given = [COLONNADE_TOKEN, COLONNADE_TOKEN_FILE, ACTIONS_ID_TOKEN_REQUEST_URL, certificateOf(environment)];
  const isGiven = given.some(Boolean);
  return isGiven || readCredentials(environment, url.replace(/\/$/, "")) ? adminAccess(environment) : undefined;
}

async function tokenSource(
  environment: NodeJS.ProcessEnv,
  target: AdminTarget,
): Promise<Pick<AdminAccess, "token" | "advice"> | undefined> {
  const { COLONNADE_TOKEN: own, COLONNADE_TOKEN_FILE: file, COLONNADE_AUDIENCE: given = "" } = environment;
  const ofVariable = (name: string, token: string): Pick<AdminAccess, "token" | "advice"> => {
    if (!TOKEN.test(token))
      throw new UsageError(`${name} contains whitespace or another character that is not allowed in a token`);
    return { token, advice: `The token is that of ${name}; ask the gateway's operator for a valid one.` };
  };
  if (own) return ofVariable("COLONNADE_TOKEN", own);
  if (file) return ofVariable("COLONNADE_TOKEN_FILE", readText("COLONNADE_TOKEN_FILE", file).trim());
  const audience = given === "" ? new URL(target.url).origin : given;
  const ofJob = await githubToken(environment, audience);
  if (ofJob !== undefined)
    return {
      token: ofJob,
      advice: `The token is the ID token of this job for ${audience}; if the gateway's operator has set another \`audience\`, set COLONNADE_AUDIENCE to it.`,
    };
  const ofPerson = await personToken(environment, target.url);
  if (ofPerson !== undefined) return { token: ofPerson, advice: "Sign in again with `colonnade login`." };
  if (!target.certificate) return undefined;
  return {
    token: undefined,
    advice: "The certificate is that of COLONNADE_CLIENT_CERTIFICATE; ask the gateway's operator for a grant.",
  };
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${reasonOf(error)}`);
  }
}

function certificateOf(environment: NodeJS.ProcessEnv): AdminTarget["certificate"] {
  const { COLONNADE_CLIENT_CERTIFICATE: certificate, COLONNADE_CLIENT_KEY: key } = environment;
  if (!certificate || !key) return undefined;
  return {
    cert: readText("COLONNADE_CLIENT_CERTIFICATE", certificate),
    key: readText("COLONNADE_CLIENT_KEY", key),
  };
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
 * Calls the admin API. Positions in its errors are those in the sources, where the gateway has a source map.
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
  return send<Data>(access, method, path, { headers: authorization(access), body, signal }).catch(
    async (error: unknown) => {
      if (error instanceof GatewayError)
        error.message = (await locateErrors(locateAt(access), [error.message])).join("");
      throw error;
    },
  );
}

/** Locates positions with the source maps that the gateway has. */
export function locateAt(access: AdminAccess): Locate {
  return createLocate(async (release, script) => {
    const [name = "", version = ""] = release.split("@");
    const path = `/api/v1/sections/${name}/releases/${encodeURIComponent(version)}/source-map?script=${encodeURIComponent(script)}`;
    const read = send<SourceMapPayload>(access, "GET", path, { headers: authorization(access) });
    return read.then(
      ({ body }) => body,
      (error: unknown) => {
        if (error instanceof GatewayError && error.kind === "unavailable") throw error;
        // The release has none, or another team has published it.
        return undefined;
      },
    );
  });
}

function authorization({ token }: AdminAccess): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The identity providers of the gateway. It needs no token to list them. */
export async function readProviders(target: AdminTarget): Promise<readonly IdentityProvider[]> {
  const path = "/api/v1/sign-in";
  const { body } = await send<{ readonly providers: readonly IdentityProvider[] }>(target, "GET", path, {
    headers: {},
  });
  return body.providers;
}

async function send<Data>(
  access: AdminTarget & Pick<AdminAccess, "advice">,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<AdminResponse<Data>> {
  const url = `${access.url}${path}`;
  const sent = sendRequest(url, method, { ...options, certificate: access.certificate });
  const { status, text } = await sent.catch((error: unknown) => {
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

function describeError(
  { url, advice }: AdminTarget & Pick<AdminAccess, "advice">,
  call: string,
  status: number,
  text: string,
): string {
  const { title = "", detail, problems = [] } = parseProblem(text);
  const lines = [`${call}: ${String(status)} ${title}`.trimEnd()];
  if (detail) lines.push(detail);
  lines.push(...problems.map((problem) => `- ${problem}`));
  if (status === 401 && advice !== undefined) lines.push(advice);
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

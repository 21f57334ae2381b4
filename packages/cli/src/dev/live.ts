// Reads from a site what other sections have deployed. The site is not trusted.
import { EXPECTED_NAME, isSectionName } from "../build/config.js";
import { isModuleName } from "../build/exposes.js";
import { GatewayError, reasonOf, UsageError } from "../build/usageError.js";
import { SiteDocument } from "./document.js";

// Of a response.
const MAX_BYTES = 4 * 1024 * 1024;
// In milliseconds, for each request.
const TIMEOUT = 10_000;

/** A section of the live deployment, in the response of `/_remotes`. */
export interface LiveRemote {
  readonly entry: string;
  readonly exposes: Readonly<Record<string, unknown>>;
}

/** What is live at a site. */
interface Live {
  /** The sections by name. */
  readonly remotes: Readonly<Record<string, LiveRemote>>;
  /** URL path of the folder of the shell's files. */
  readonly shellAssets: string;
}

/**
 * Reads what is live at a site.
 *
 * @throws GatewayError if the site is unreachable or its response invalid, and UsageError if it is no site.
 */
export async function readLive(site: string, signal?: AbortSignal): Promise<Live> {
  const home = await get(new URL("/", site), signal);
  const document = SiteDocument.parse(Buffer.concat(home.chunks).toString());
  if (!document)
    throw new UsageError(
      `${site} responded with no page of a Colonnade site; expected the URL of a site with a deployment`,
    );
  const url = new URL(`/_remotes/${document.boot.deployment}`, site);
  const { status, chunks } = await get(url, signal);
  if (status !== 200) throw unavailable(`${url.href} responded with status ${String(status)}; expected 200`);
  const remotes = parseObject(url, Buffer.concat(chunks).toString());
  for (const [name, remote] of Object.entries(remotes)) checkRemote(url, name, remote);
  return { remotes: remotes as Live["remotes"], shellAssets: document.shellAssets };
}

/** @throws GatewayError if the response of a URL is no JSON object. */
export function parseObject(url: URL, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw unavailable(`${url.href} is not a JSON object; expected that of a gateway`);
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks all that is used. The site must not choose files elsewhere, or another server. */
function checkRemote(url: URL, name: string, remote: unknown): void {
  const section = JSON.stringify(name);
  const { entry, exposes } = Object(remote) as Partial<LiveRemote>;
  if (typeof entry !== "string" || !isObject(exposes))
    throw unavailable(`${url.href} has no entry or exposes of the section ${section}; expected those of a gateway`);
  if (!isSectionName(name)) throw unavailable(`${url.href} has the section ${section}; expected ${EXPECTED_NAME}`);
  const invalid = Object.keys(exposes).find((module) => !isModuleName(module));
  if (invalid !== undefined)
    throw unavailable(
      `${url.href} has the module ${JSON.stringify(invalid)} of the section ${section}; expected a name such as "./PriceTag"`,
    );
  const resolved = URL.canParse(entry, url) ? new URL(entry, url) : undefined;
  if (resolved?.origin !== url.origin || !resolved.pathname.startsWith("/assets/"))
    throw unavailable(
      `${url.href} has the entry ${JSON.stringify(entry)} of the section ${section}; expected a path below /assets/`,
    );
}

/** The error of a site that does not respond as expected. */
export function unavailable(message: string): GatewayError {
  return new GatewayError(message, "unavailable");
}

interface SmallResponse {
  readonly status: number;
  readonly chunks: readonly Uint8Array[];
}

/**
 * Requests a small file. Does not follow redirects, which may lead to another server.
 *
 * @throws GatewayError if the site is unreachable or the file too large.
 */
export async function get(url: URL, signal?: AbortSignal): Promise<SmallResponse> {
  const timeout = AbortSignal.timeout(TIMEOUT);
  const chunks: Uint8Array[] = [];
  let status: number;
  let bytes = 0;
  try {
    const response = await fetch(url, {
      headers: { accept: "text/html, */*" },
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    ({ status } = response);
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unavailable(`cannot fetch ${url.href} (${reasonOf(error)})`);
  }
  if (bytes > MAX_BYTES)
    throw unavailable(`${url.href} responded with too many bytes; expected at most ${String(MAX_BYTES)}`);
  return { status, chunks };
}

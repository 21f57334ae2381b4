import type { Stats } from "node:fs";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import * as tar from "tar";

import { EXPECTED_NAME, isSectionName } from "../build/config.js";
import { TYPES_ARCHIVE, TYPES_FOLDER } from "../build/declarations.js";
import { isModuleName } from "../build/exposes.js";
import { GatewayError, UsageError } from "../build/usageError.js";
import { SiteDocument } from "./document.js";

const INDEX = "remotes.d.ts";
// Of a response. A declaration has no code. More than this is not the types of a few modules.
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EXTRACTED_BYTES = 16 * 1024 * 1024;
// In milliseconds, for each request.
const TIMEOUT = 10_000;

/** A section of the live deployment, in the response of `/_remotes`. */
interface LiveRemote {
  readonly entry: string;
  readonly exposes: Readonly<Record<string, unknown>>;
}

/** The exposed modules of which there are types, by section. */
export type FetchedTypes = Readonly<Record<string, readonly string[]>>;

/**
 * Fetches the types of the modules that the live sections of a site expose, and replaces {@link TYPES_FOLDER} by them.
 * `sections` limits them to these; by default all that expose a module. `signal` ends requests.
 *
 * @throws GatewayError if the site is unreachable or its response invalid, and UsageError if it has
 * no such section.
 */
export async function fetchRemoteTypes(
  folder: string,
  site: string,
  sections: readonly string[] = [],
  signal?: AbortSignal,
): Promise<FetchedTypes> {
  const remotes = await readRemotes(site, signal);
  const unknown = sections.find((name) => !Object.keys(remotes[name]?.exposes ?? {}).length);
  if (unknown !== undefined) throw new UsageError(unknownSection(unknown, site, remotes));
  const target = path.join(folder, TYPES_FOLDER);
  const isUsed = sections.length > 0 || Object.values(remotes).some(({ exposes }) => Object.keys(exposes).length > 0);
  // Most sites have no exposed modules, and their sections no such folder.
  if (!isUsed && !(await exists(target))) return {};
  const building = `${target}.new`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const fetched: Record<string, readonly string[]> = {};
  for (const [name, { entry, exposes }] of Object.entries(remotes).sort()) {
    const modules = Object.keys(exposes);
    if (modules.length === 0 || (sections.length > 0 && !sections.includes(name))) continue;
    const hasTypes = await extract(new URL(TYPES_ARCHIVE, new URL(entry, site)), path.join(building, name), signal);
    if (hasTypes) fetched[name] = modules.map((module) => module.replace(/^\.\//, ""));
  }
  await writeFile(path.join(building, INDEX), indexOf(fetched));
  await rm(target, { recursive: true, force: true });
  await rename(building, target);
  return fetched;
}

async function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

function unknownSection(name: string, site: string, remotes: Readonly<Record<string, LiveRemote>>): string {
  const exposing = Object.keys(remotes).filter((remote) => Object.keys(remotes[remote]?.exposes ?? {}).length > 0);
  const wrong = name in remotes ? "exposes no module" : "is not live";
  return `the section "${name}" ${wrong} at ${site}; expected one of ${exposing.sort().join(", ") || "none"}`;
}

async function readRemotes(site: string, signal?: AbortSignal): Promise<Readonly<Record<string, LiveRemote>>> {
  const home = await get(new URL("/", site), signal);
  const document = SiteDocument.parse(Buffer.concat(home.chunks).toString());
  if (!document)
    throw new UsageError(
      `${site} responded with no page of a Colonnade site; expected the URL of a site with a deployment`,
    );
  const url = new URL(`/_remotes/${document.boot.deployment}`, site);
  const { status, chunks } = await get(url, signal);
  if (status !== 200) throw unavailable(`${url.href} responded with status ${String(status)}; expected 200`);
  const remotes = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, LiveRemote>>;
  for (const [name, remote] of Object.entries(remotes)) checkRemote(url, name, remote);
  return remotes;
}

/** Checks what becomes a path: the site must not choose files elsewhere, or another server. */
function checkRemote(url: URL, name: string, { entry, exposes }: LiveRemote): void {
  const section = JSON.stringify(name);
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

function unavailable(message: string): GatewayError {
  return new GatewayError(message, "unavailable");
}

interface SmallResponse {
  readonly status: number;
  readonly chunks: readonly Uint8Array[];
}

/** Requests a small file. Does not follow redirects, which may lead to another server. */
async function get(url: URL, signal?: AbortSignal): Promise<SmallResponse> {
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
    throw unavailable(`cannot fetch ${url.href} (${String(error)})`);
  }
  if (bytes > MAX_BYTES)
    throw unavailable(`${url.href} responded with too many bytes; expected at most ${String(MAX_BYTES)}`);
  return { status, chunks };
}

/** Extracts the declarations of an archive. False if the release has none, as without TypeScript. */
async function extract(url: URL, folder: string, signal?: AbortSignal): Promise<boolean> {
  const { status, chunks } = await get(url, signal);
  if (status === 404) return false;
  if (status !== 200) throw unavailable(`${url.href} responded with status ${String(status)}; expected 200`);
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  const filter = (file: string, entry: Stats | tar.ReadEntry): boolean => {
    bytes += entry.size;
    return bytes <= MAX_EXTRACTED_BYTES && file.endsWith(".d.ts") && "type" in entry && entry.type === "File";
  };
  await pipeline(chunks, tar.extract({ cwd: folder, strict: true, filter }));
  if (bytes > MAX_EXTRACTED_BYTES)
    throw unavailable(`${url.href} has files of too many bytes; expected at most ${String(MAX_EXTRACTED_BYTES)}`);
  return true;
}

function indexOf(fetched: FetchedTypes): string {
  const lines = Object.entries(fetched).flatMap(([section, modules]) =>
    modules.map(
      (module) =>
        `    ${JSON.stringify(`${section}/${module}`)}: typeof import(${JSON.stringify(`./${section}/${module}`)});\n`,
    ),
  );
  return (
    "// Written by `colonnade types`: the modules that other sections expose.\n" +
    `import "@colonnade/kit/remotes";\n\ndeclare module "@colonnade/kit/remotes" {\n  interface RemoteModules {\n${lines.join("")}  }\n}\n`
  );
}

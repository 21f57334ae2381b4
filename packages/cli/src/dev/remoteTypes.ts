import type { Stats } from "node:fs";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import * as tar from "tar";

import { EXPECTED_NAME, isSectionName, type SectionConfig } from "../build/config.js";
import { DECLARATION, TYPES_ARCHIVE, TYPES_FOLDER } from "../build/declarations.js";
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

/** Options of {@link fetchRemoteTypes}. */
interface TypesOptions {
  /** The sections to fetch the types of. The modules of the others are declared without types. Default: all. */
  readonly sections?: readonly string[];
  /** The sections under development, by folder. The types of their modules are those of the sources. */
  readonly local?: ReadonlyMap<string, SectionConfig>;
  /** Ends requests. */
  readonly signal?: AbortSignal;
}

/** What a declaration imports each module from, by the module's ID, such as `catalog/PriceTag`. Undefined without types. */
type Specifiers = Map<string, string | undefined>;

/**
 * Fetches the types of the modules that the live sections of a site expose, and replaces {@link TYPES_FOLDER} of the section in
 * `folder` by them. Returns the IDs of the modules that have types.
 *
 * @throws GatewayError if the site is unreachable or its response invalid, and UsageError if it has no such section.
 */
export async function fetchRemoteTypes(
  folder: string,
  site: string,
  { sections = [], local = new Map(), signal }: TypesOptions = {},
): Promise<string[]> {
  const remotes = await readRemotes(site, signal);
  const unknown = sections.find((name) => !Object.keys(remotes[name]?.exposes ?? {}).length);
  if (unknown !== undefined) throw new UsageError(unknownSection(unknown, site, remotes));
  const target = path.join(folder, TYPES_FOLDER);
  const specifiers = localSpecifiers(target, local);
  const isLocal = (name: string): boolean => [...local.values()].some((config) => config.name === name);
  const live = Object.entries(remotes).filter(
    ([name, { exposes }]) => !isLocal(name) && Object.keys(exposes).length > 0,
  );
  // Most sites have no exposed modules, and their sections no such folder.
  if (live.length === 0 && specifiers.size === 0 && !(await exists(target))) return [];
  const building = `${target}.new`;
  await rm(building, { recursive: true, force: true });
  try {
    await mkdir(building, { recursive: true });
    for (const [name, { entry, exposes }] of live) {
      const isWanted = sections.length === 0 || sections.includes(name);
      const archive = new URL(TYPES_ARCHIVE, new URL(entry, site));
      const hasTypes = isWanted && (await extract(archive, path.join(building, name), signal));
      for (const module of Object.keys(exposes)) {
        const id = path.posix.join(name, module);
        specifiers.set(id, hasTypes ? `./${id}` : undefined);
      }
    }
    await writeFile(path.join(building, INDEX), indexOf(specifiers));
    await rm(target, { recursive: true, force: true });
    await rename(building, target);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return [...specifiers.keys()].filter((id) => specifiers.get(id) !== undefined).sort();
}

/** The compiler and editors read the sources, so that an edit changes the types at once. */
function localSpecifiers(target: string, local: ReadonlyMap<string, SectionConfig>): Specifiers {
  const specifiers: Specifiers = new Map();
  for (const [folder, { name, exposes = {} }] of local)
    for (const [module, source] of Object.entries(exposes)) {
      const { dir, name: base } = path.parse(path.resolve(folder, source));
      const specifier = path.relative(target, path.join(dir, base)).replaceAll(path.sep, "/");
      specifiers.set(path.posix.join(name, module), /\.[cm]?tsx?$/.test(source) ? specifier : undefined);
    }
  return specifiers;
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
  const remotes = parseObject(url, Buffer.concat(chunks).toString());
  for (const [name, remote] of Object.entries(remotes)) checkRemote(url, name, remote);
  return remotes as Readonly<Record<string, LiveRemote>>;
}

function parseObject(url: URL, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw unavailable(`${url.href} is not a JSON object; expected that of a gateway`);
}

function isObject(value: unknown): value is object {
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
    return bytes <= MAX_EXTRACTED_BYTES && DECLARATION.test(file) && "type" in entry && entry.type === "File";
  };
  await pipeline(chunks, tar.extract({ cwd: folder, strict: true, filter })).catch((error: unknown) => {
    throw unavailable(`${url.href} is no archive of types (${String(error)})`);
  });
  if (bytes > MAX_EXTRACTED_BYTES)
    throw unavailable(`${url.href} has files of too many bytes; expected at most ${String(MAX_EXTRACTED_BYTES)}`);
  return true;
}

/** Declares all modules: a section can use no other one. */
function indexOf(specifiers: Specifiers): string {
  const lines = [...specifiers].sort().map(([id, specifier]) => {
    const type =
      specifier === undefined ? "Readonly<Record<string, unknown>>" : `typeof import(${JSON.stringify(specifier)})`;
    return `    ${JSON.stringify(id)}: ${type};\n`;
  });
  return (
    "// Written by `colonnade types`: the modules that other sections expose.\n" +
    `import "@colonnade/kit/remotes";\n\ndeclare module "@colonnade/kit/remotes" {\n  interface RemoteModules {\n${lines.join("")}  }\n}\n`
  );
}

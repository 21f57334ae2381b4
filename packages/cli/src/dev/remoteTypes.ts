import { access, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import * as tar from "tar";

import type { SectionConfig } from "../build/config.js";
import { EXPECTED_PATH, isDeclarationPath, TYPES_ARCHIVE, TYPES_FOLDER, TYPES_INDEX } from "../build/declarations.js";
import { UsageError } from "../build/usageError.js";
import { get, readLive, unavailable, type LiveRemote } from "./live.js";

// A declaration has no code. More than this is not the types of a few modules.
const MAX_EXTRACTED_BYTES = 16 * 1024 * 1024;
// In milliseconds, for the archives of all sections.
const TOTAL_TIMEOUT = 60_000;

/** Another section under development. */
export interface LocalSection {
  readonly config: SectionConfig;
  /** A folder with the declarations of its exposed modules. Empty or missing without TypeScript. */
  readonly types: string;
}

/** Options of {@link fetchRemoteTypes}. */
interface TypesOptions {
  /** The sections to fetch the types of. Those of the others stay as they are. Default: all. */
  readonly sections?: readonly string[];
  /** The other sections under development. Their types are not fetched. */
  readonly local?: readonly LocalSection[];
  /** Ends requests. */
  readonly signal?: AbortSignal;
}

/** What a declaration imports each module from, by the module's ID, such as `catalog/PriceTag`. Undefined without types. */
type Specifiers = Map<string, string | undefined>;

/**
 * Fetches the types of the modules that the live sections of a site expose, and replaces {@link TYPES_FOLDER} of the section in
 * `folder` by them. The types of its own modules are those of its sources. Returns the IDs of the other modules that have types.
 *
 * @throws GatewayError if the site is unreachable or its response invalid, and UsageError if it has no such section.
 */
export async function fetchRemoteTypes(
  folder: string,
  config: SectionConfig,
  site: string,
  { sections = [], local = [], signal }: TypesOptions = {},
): Promise<string[]> {
  const { remotes } = await readLive(site, signal);
  const unknown = sections.find((name) => !exposesModules(remotes, name));
  if (unknown !== undefined) throw new UsageError(unknownSection(unknown, site, remotes));
  const target = path.join(folder, TYPES_FOLDER);
  const own = ownSpecifiers(target, folder, config);
  const known = new Set([config.name, ...local.map(({ config: { name } }) => name)]);
  const live = Object.entries(remotes).filter(([name]) => !known.has(name) && exposesModules(remotes, name));
  const exposing = local.filter(({ config: { exposes = {} } }) => Object.keys(exposes).length > 0);
  // Most sites have no exposed modules, and their sections no such folder.
  if (live.length + exposing.length + own.size === 0 && !(await exists(target))) return [];
  const others: Specifiers = new Map();
  const building = `${target}.new`;
  await rm(building, { recursive: true, force: true });
  try {
    await mkdir(building, { recursive: true });
    const deadline = AbortSignal.timeout(TOTAL_TIMEOUT);
    for (const [name, { entry, exposes }] of live) {
      if (deadline.aborted)
        throw unavailable(
          `${site} takes too long to send the types of ${String(live.length)} sections; expected at most ` +
            `${String(TOTAL_TIMEOUT / 1000)} seconds`,
        );
      const section = path.join(building, name);
      if (sections.length > 0 && !sections.includes(name)) await copy(path.join(target, name), section);
      else await writeFiles(section, await readArchive(new URL(TYPES_ARCHIVE, new URL(entry, site)), signal));
      await addSpecifiers(others, building, name, Object.keys(exposes));
    }
    for (const { config: section, types } of exposing) {
      await copy(types, path.join(building, section.name));
      await addSpecifiers(others, building, section.name, Object.keys(section.exposes ?? {}));
    }
    await writeFile(path.join(building, TYPES_INDEX), indexOf([...own, ...others]));
    await rm(target, { recursive: true, force: true });
    await rename(building, target);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return [...others.keys()].filter((id) => others.get(id) !== undefined).sort();
}

function exposesModules(remotes: Readonly<Record<string, LiveRemote>>, name: string): boolean {
  return Object.hasOwn(remotes, name) && Object.keys(remotes[name]?.exposes ?? {}).length > 0;
}

/** The compiler and editors read the section's own sources, so that an edit changes the types at once. */
function ownSpecifiers(target: string, folder: string, { name, exposes = {} }: SectionConfig): Specifiers {
  const specifiers: Specifiers = new Map();
  for (const [module, source] of Object.entries(exposes)) {
    const specifier = path.relative(target, path.resolve(folder, source)).replaceAll(path.sep, "/");
    const isTyped = /\.[cm]?tsx?$/.test(source);
    specifiers.set(path.posix.join(name, module), isTyped ? specifier.replace(/tsx?$/, "js") : undefined);
  }
  return specifiers;
}

/** Adds the modules of a section whose declarations, if it has any, are below `folder`. */
async function addSpecifiers(
  specifiers: Specifiers,
  folder: string,
  section: string,
  modules: readonly string[],
): Promise<void> {
  for (const module of modules) {
    const id = path.posix.join(section, module);
    // With the extension, also a compiler that resolves modules as Node.js does finds it.
    specifiers.set(id, (await exists(path.join(folder, `${id}.d.ts`))) ? `./${id}.js` : undefined);
  }
}

async function copy(source: string, target: string): Promise<void> {
  if (await exists(source)) await cp(source, target, { recursive: true });
}

/** Writes files by their paths below a folder. */
export async function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [name, content] of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

function unknownSection(name: string, site: string, remotes: Readonly<Record<string, LiveRemote>>): string {
  const exposing = Object.keys(remotes).filter((remote) => exposesModules(remotes, remote));
  const wrong = Object.hasOwn(remotes, name) ? "exposes no module" : "is not live";
  return `the section "${name}" ${wrong} at ${site}; expected one of ${exposing.sort().join(", ") || "none"}`;
}

/** Returns the declarations of an archive, by their paths. Empty if the release has none, as without TypeScript. */
async function readArchive(url: URL, signal?: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
  const { status, chunks } = await get(url, signal);
  if (status === 404) return new Map();
  if (status !== 200) throw unavailable(`${url.href} responded with status ${String(status)}; expected 200`);
  const files = new Map<string, Buffer>();
  let invalid: string | undefined;
  try {
    const archive = await promisify(gunzip)(Buffer.concat(chunks), { maxOutputLength: MAX_EXTRACTED_BYTES });
    const onReadEntry = (entry: tar.ReadEntry): void => {
      const { path: name, type } = entry;
      if (type !== "File" || !isDeclarationPath(name) || files.has(name)) invalid ??= name;
      const content: Buffer[] = [];
      entry.on("data", (chunk: Buffer) => content.push(chunk));
      entry.on("end", () => files.set(name, Buffer.concat(content)));
    };
    const parser = new tar.Parser({ strict: true, onReadEntry });
    await new Promise((resolve, reject) => {
      parser.on("end", resolve).on("error", reject).end(archive);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw unavailable(`${url.href} has files of too many bytes; expected at most ${String(MAX_EXTRACTED_BYTES)}`);
    throw unavailable(`${url.href} is no archive of types (${String(error)})`);
  }
  if (invalid !== undefined)
    throw unavailable(
      `${url.href} has the file ${JSON.stringify(invalid)}; expected a distinct one with ${EXPECTED_PATH}`,
    );
  return files;
}

/** Declares all modules: a section can use no other one. */
function indexOf(specifiers: readonly (readonly [string, string | undefined])[]): string {
  const lines = specifiers.toSorted().map(([id, specifier]) => {
    const type =
      specifier === undefined ? "Readonly<Record<string, unknown>>" : `typeof import(${JSON.stringify(specifier)})`;
    return `    ${JSON.stringify(id)}: ${type};\n`;
  });
  return (
    "// Written by `colonnade types`: the modules that other sections expose.\n" +
    `import "@colonnade/kit/remotes";\n\ndeclare module "@colonnade/kit/remotes" {\n  interface RemoteModules {\n${lines.join("")}  }\n}\n`
  );
}

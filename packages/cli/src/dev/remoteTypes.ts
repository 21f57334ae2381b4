import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import * as tar from "tar";

import { TYPES_ARCHIVE, TYPES_FOLDER } from "../build/declarations.js";
import { GatewayError, UsageError } from "../build/usageError.js";
import { readSite } from "./document.js";

const INDEX = "remotes.d.ts";
// A declaration has no code. More than this is not the types of a few modules.
const MAX_ARCHIVE_BYTES = 4 * 1024 * 1024;

/** A section of the live deployment, in the response of `/_remotes`. */
interface LiveRemote {
  readonly entry: string;
  readonly exposes: Readonly<Record<string, unknown>>;
}

/** The exposed modules of which there are types, by section. */
export type FetchedTypes = Readonly<Record<string, readonly string[]>>;

/**
 * Fetches the types of the modules that the live sections of a site expose, and replaces {@link TYPES_FOLDER} by them.
 * `sections` limits them to these; by default all that expose a module.
 *
 * @throws GatewayError if the site is unreachable, and UsageError if it has no such section.
 */
export async function fetchRemoteTypes(
  folder: string,
  site: string,
  sections: readonly string[] = [],
): Promise<FetchedTypes> {
  const remotes = await readRemotes(site);
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
    const hasTypes = await extract(new URL(TYPES_ARCHIVE, new URL(entry, site)), path.join(building, name));
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

async function readRemotes(site: string): Promise<Readonly<Record<string, LiveRemote>>> {
  const { document } = await readSite(site);
  if (!document)
    throw new UsageError(
      `${site} responded with no page of a Colonnade site; expected the URL of a site with a deployment`,
    );
  const response = await get(new URL(`/_remotes/${document.boot.deployment}`, site));
  if (!response.ok)
    throw new GatewayError(
      `${response.url} responded with status ${String(response.status)}; expected 200`,
      "unavailable",
    );
  return (await response.json()) as Readonly<Record<string, LiveRemote>>;
}

async function get(url: URL): Promise<Response> {
  return fetch(url).catch((error: unknown) => {
    throw new GatewayError(`cannot fetch ${url.href} (${String(error)})`, "unavailable");
  });
}

/** Extracts the declarations of an archive. False if the release has none, as without TypeScript. */
async function extract(url: URL, folder: string): Promise<boolean> {
  const response = await get(url);
  if (response.status === 404) return false;
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok || bytes.length > MAX_ARCHIVE_BYTES)
    throw new GatewayError(
      `${url.href} responded with status ${String(response.status)} and ${String(bytes.length)} bytes; expected 200 and at most ${String(MAX_ARCHIVE_BYTES)} bytes`,
      "unavailable",
    );
  await mkdir(folder, { recursive: true });
  const isDeclaration = (file: string, entry: object): boolean =>
    file.endsWith(".d.ts") && "type" in entry && entry.type === "File";
  await pipeline([bytes], tar.extract({ cwd: folder, strict: true, filter: isDeclaration }));
  return true;
}

function indexOf(fetched: FetchedTypes): string {
  const lines = Object.entries(fetched).flatMap(([section, modules]) =>
    modules.map(
      (module) => `    ${JSON.stringify(`${section}/${module}`)}: typeof import("./${section}/${module}");\n`,
    ),
  );
  return (
    "// Written by `colonnade types`: the modules that other sections expose.\n" +
    `import "@colonnade/kit/remotes";\n\ndeclare module "@colonnade/kit/remotes" {\n  interface RemoteModules {\n${lines.join("")}  }\n}\n`
  );
}

import { readFile } from "node:fs/promises";
import path from "node:path";

import semver from "semver";

import { MANIFEST_FILE } from "../build/federationManifest.js";
import type { SharedVersions } from "../build/shared.js";
import { UsageError } from "../build/usageError.js";
import { isOwnName, prefixOf } from "./names.js";

const MANIFEST_OPTIONS =
  "ModuleFederationPlugin({ manifest: true }) of @module-federation/enhanced/webpack or " +
  "@module-federation/enhanced/rspack, or federation({ manifest: true }) of @module-federation/vite";
const PUBLIC_PATH =
  'output.publicPath: "auto" (webpack and Rspack) or base: "./" (Vite), because the files are served below ' +
  "/assets/<section>/<version>/";
const REMOTES =
  "a document shows the releases of one deployment, which the gateway has checked. A remote that is loaded by URL is not one " +
  "of them, and the site's policy blocks other origins. Bundle that code, or adopt that remote as a section of its own";

/** A remote of Module Federation, as its manifest describes it. */
export interface Remote {
  /** Its folder. */
  readonly folder: string;
  /** The name that imports of its modules begin with. */
  readonly name: string;
  /** The script of its container, relative to the folder. */
  readonly entry: string;
  /** The global variable of its container. Absent if the entry is an ES module. */
  readonly global?: string;
  /** Its exposed modules, such as `./App`. */
  readonly exposes: readonly string[];
  /** The version range of each package that the remote shares and the shell provides. */
  readonly shared: SharedVersions;
}

/** The fields of the manifest that are used here. All may be absent in a file that is not one. */
interface Manifest {
  readonly name?: string;
  readonly metaData?: {
    readonly remoteEntry?: { readonly name?: string; readonly path?: string; readonly type?: string };
    readonly globalName?: string;
    readonly publicPath?: string;
  };
  readonly shared?: readonly SharedPackage[];
  readonly remotes?: readonly { readonly alias?: string; readonly entry?: string }[];
  readonly exposes?: readonly { readonly path?: string }[];
}

interface SharedPackage {
  readonly name?: string;
  readonly singleton?: boolean;
  readonly requiredVersion?: string | false;
}

/**
 * Reads the manifest of a built remote. `section` is the name of the section that adopts it, `installed` are the versions of the
 * packages that the shell provides.
 *
 * @throws UsageError if there is no manifest, or the remote cannot run in a page of the site.
 */
export async function readRemote(folder: string, section: string, installed: SharedVersions): Promise<Remote> {
  const file = path.join(folder, MANIFEST_FILE);
  const manifest = await readManifest(file);
  const { metaData, exposes = [] } = manifest;
  const { name, metaData: { remoteEntry = {}, globalName = name } = {} } = manifest;
  if (!name || !remoteEntry.name || !globalName)
    throw new UsageError(`${file}: no name or metaData.remoteEntry; expected the manifest of a remote`);
  checkName(file, { field: "name", option: "name" }, name, section);
  checkPublicPath(file, metaData);
  checkRemotes(file, manifest);
  const isGlobal = !isModule(file, remoteEntry.type);
  if (isGlobal) checkName(file, { field: "metaData.globalName", option: "library.name" }, globalName, section);
  const modules = exposes.flatMap((exposed) => exposed.path ?? []);
  if (modules.length === 0) throw new UsageError(`${file}: the remote exposes no module; expected \`exposes\``);
  return {
    folder,
    name,
    entry: path.posix.join(remoteEntry.path ?? "", remoteEntry.name),
    ...(isGlobal && { global: globalName }),
    exposes: modules,
    shared: neededVersions(file, manifest, installed),
  };
}

async function readManifest(file: string): Promise<Manifest> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(`${file} does not exist; build the remote with ${MANIFEST_OPTIONS}`);
  });
  const manifest = parse(file, text);
  checkTypes(file, "", manifest, {
    name: "text",
    metaData: "object",
    shared: "objects",
    remotes: "objects",
    exposes: "objects",
  });
  const { metaData = {}, exposes = [] } = manifest;
  checkTypes(file, "metaData.", metaData, { remoteEntry: "object", globalName: "text" });
  const { remoteEntry = {} } = metaData;
  checkTypes(file, "metaData.remoteEntry.", remoteEntry, { name: "text", path: "text", type: "text" });
  for (const exposed of exposes) checkTypes(file, "exposes[].", exposed, { path: "text" });
  return manifest;
}

function parse(file: string, text: string): Manifest {
  try {
    return Object(JSON.parse(text)) as Manifest;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a field of the manifest can be. */
const TYPES = {
  text: { is: (value: unknown) => typeof value === "string", expected: "a string" },
  object: { is: isObject, expected: "an object" },
  objects: { is: (value: unknown) => Array.isArray(value) && value.every(isObject), expected: "a list of objects" },
};

/** Each field can be absent. */
function checkTypes<Owner extends object>(
  file: string,
  prefix: string,
  owner: Owner,
  types: Partial<Record<keyof Owner & string, keyof typeof TYPES>>,
): void {
  for (const [name, type] of Object.entries(types) as [keyof Owner & string, keyof typeof TYPES][]) {
    if (owner[name] === undefined || TYPES[type].is(owner[name])) continue;
    throw new UsageError(`${file}: ${prefix}${name} is not ${TYPES[type].expected}; expected the manifest of a remote`);
  }
}

/** The global variables of a remote contain its name. */
function checkName(
  file: string,
  { field, option }: { field: string; option: string },
  name: string,
  section: string,
): void {
  if (isOwnName(name, section)) return;
  const prefix = prefixOf(section);
  throw new UsageError(
    `${file}: ${field} is "${name}"; expected the section's name, "${prefix}", or that and a suffix with an upper-case first ` +
      `letter, such as "${prefix}Remote", because two remotes of one name in a page would use the same global variables. Set ` +
      `\`${option}\` in the plugin's options`,
  );
}

function checkPublicPath(file: string, { publicPath }: NonNullable<Manifest["metaData"]> = {}): void {
  if (publicPath === "auto") return;
  throw new UsageError(`${file}: the public path is ${JSON.stringify(publicPath)}; expected ${PUBLIC_PATH}`);
}

function checkRemotes(file: string, { remotes = [] }: Manifest): void {
  if (remotes.length === 0) return;
  const names = remotes.map(({ alias, entry }) => `"${alias ?? ""}"${entry ? ` (${entry})` : ""}`).join(", ");
  throw new UsageError(`${file}: the remote loads others: ${names}; expected none: ${REMOTES}`);
}

function isModule(file: string, type = "global"): boolean {
  if (type === "module" || type === "esm") return true;
  if (type === "global" || type === "var") return false;
  throw new UsageError(`${file}: metaData.remoteEntry.type is "${type}"; expected "global", "var", "module" or "esm"`);
}

function neededVersions(file: string, { shared = [] }: Manifest, installed: SharedVersions): SharedVersions {
  const ranges = Object.entries(installed).flatMap(([name, version]) => {
    const found = shared.find((candidate) => candidate.name === name);
    if (!found) return [];
    if (found.singleton !== true)
      throw new UsageError(
        `${file}: the remote shares ${name}, but not as a singleton; expected shared: { ${JSON.stringify(name)}: ` +
          `{ singleton: true } }, because a page has only the ${name} of the shell`,
      );
    const range = semver.validRange(typeof found.requiredVersion === "string" ? found.requiredVersion : "*");
    if (range === null || !semver.satisfies(version, range))
      throw new UsageError(
        `${file}: the remote needs ${name} ${JSON.stringify(found.requiredVersion)}; expected a range with ${version}, the ` +
          "version that is installed in the section. Set `requiredVersion` in the plugin's options, or update the package",
      );
    return [[name, range] as const];
  });
  return Object.fromEntries(ranges);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

import type { CommandOutput } from "./clientFiles.js";
import type { BuildContext } from "./context.js";
import { isList, isText, type BuildCommand } from "./commandConfig.js";
import { readEntry } from "./entry.js";
import { isFile } from "./isFile.js";
import { moduleFolders } from "./moduleFolders.js";
import { unknownKey } from "./nearNames.js";
import type { Release } from "./release.js";
import { SERVER_MODULE } from "./server.js";
import { BuildError } from "./usageError.js";
import { inputsBelow } from "./version.js";

/** What a build command says about its files, in `release.json`. The rest follows from the section and its configuration. */
type CommandManifest = Pick<Release, "entry"> & {
  readonly assets?: readonly string[];
  readonly pages?: readonly ({ readonly pattern: string } & Assets)[];
  readonly extensions?: readonly ({ readonly point: string } & Assets)[];
  readonly later?: readonly string[];
};

interface Assets {
  readonly assets?: readonly string[];
}

const MANIFEST = "release.json";
const MANIFEST_KEYS = ["entry", "assets", "pages", "extensions", "later"];
/** The folders with the files of the release. */
const FOLDERS = ["client", "server"];
// The end of what a command prints has its error.
const MAX_PRINTED = 10_000;

/**
 * Runs the build command of a section, and copies what it writes to the folder of the release.
 *
 * @throws BuildError if the command fails, or its files are not those of a release.
 */
export async function runBuildCommand(
  context: BuildContext,
  { command, output }: BuildCommand,
  signal?: AbortSignal,
): Promise<CommandOutput> {
  const { config, identity } = context;
  const variables = {
    COLONNADE_VERSION: identity.version,
    COLONNADE_CONTAINER: identity.container,
    COLONNADE_ASSETS: `/assets/${config.name}/${identity.version}/`,
  };
  const folder = path.join(context.folder, output);
  // No file of an earlier release stays.
  for (const name of [...FOLDERS, MANIFEST]) await rm(path.join(folder, name), { recursive: true, force: true });
  await runCommand(context.folder, command, variables, signal);
  const manifest = await readManifest(folder, command);
  const { entry, assets: common = [], pages = [], extensions = [], later = [] } = manifest;
  checkKeys(path.join(folder, MANIFEST), manifest);
  await checkNames(path.join(folder, MANIFEST), path.resolve(context.folder, config.entry), manifest);
  const names = new Map([
    ...pages.map(({ pattern, assets = [] }) => [pattern, assets] as const),
    ...extensions.map(({ point, assets = [] }) => [point, assets] as const),
  ]);
  const files = [entry, ...common, ...[...names.values()].flat(), ...later];
  const outside = files.find((name) => !name.startsWith("client/") || path.posix.normalize(name) !== name);
  if (outside !== undefined)
    throw new BuildError(`${path.join(folder, MANIFEST)} has "${outside}"; expected the path of a file below client/`);
  for (const name of [SERVER_MODULE, ...files])
    if (!(await isFile(path.join(folder, name)))) throw missing(path.join(folder, name), command);
  if (!(await readFile(path.join(folder, entry), "utf8")).includes(identity.container))
    throw new BuildError(
      `${path.join(folder, entry)} does not define ${identity.container}; expected the container in the global variable whose name is in ` +
        "the environment variable COLONNADE_CONTAINER",
    );
  for (const name of FOLDERS) await cp(path.join(folder, name), path.join(context.output, name), { recursive: true });
  const assetsOf = (_: string, name: string): string[] => [...(names.get(name) ?? [])];
  return {
    entry,
    folder,
    later,
    assets: { common, assetsOf, sharedOf: () => [], moduleFiles: () => ({ first: common, later: [] }) },
  };
}

async function readManifest(folder: string, command: string): Promise<CommandManifest> {
  const file = path.join(folder, MANIFEST);
  const text = await readFile(file, "utf8").catch(() => {
    throw missing(file, command);
  });
  try {
    const manifest: unknown = JSON.parse(text);
    if (isManifest(manifest)) return manifest;
  } catch {
    // Reported below.
  }
  throw new BuildError(
    `${file} is invalid; expected { "entry": "client/entry.js", "assets": [], "pages": [{ "pattern": "/path", "assets": [] }], ` +
      '"extensions": [{ "point": "section/point@1", "assets": [] }], "later": [] }, where only entry is required',
  );
}

/** @throws BuildError if a manifest, or a page or an extension in it, has an unknown key. */
function checkKeys(file: string, manifest: CommandManifest): void {
  const { pages = [], extensions = [] } = manifest;
  const known: readonly (readonly [string, object, readonly string[]])[] = [
    ["", manifest, MANIFEST_KEYS],
    ...pages.map((page) => ["pages: ", page, ["pattern", "assets"]] as const),
    ...extensions.map((extension) => ["extensions: ", extension, ["point", "assets"]] as const),
  ];
  for (const [list, item, keys] of known)
    for (const key of Object.keys(item))
      if (!keys.includes(key)) throw new BuildError(`${file}: ${list}${unknownKey(keys, key)}`);
}

/** @throws BuildError if a manifest lists a page or an extension twice, or one that the section with this entry module does not have. */
async function checkNames(
  file: string,
  entry: string,
  { pages = [], extensions = [] }: CommandManifest,
): Promise<void> {
  const imports = await readEntry(entry);
  const lists = [
    ["pages", pages.map(({ pattern }) => pattern), imports.pages],
    ["extensions", extensions.map(({ point }) => point), imports.extensions],
  ] as const;
  for (const [member, names, known] of lists) {
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) throw new BuildError(`${file}: ${member} has "${repeated}" twice; expected it once`);
    const wrong = names.find((name) => !known.has(name));
    if (wrong === undefined) continue;
    const expected = [...known.keys()].join(", ") || "none";
    throw new BuildError(`${file}: ${member} has "${wrong}"; expected the ${member} of ${entry}: ${expected}`);
  }
}

function missing(file: string, command: string): BuildError {
  return new BuildError(`${file} does not exist; expected \`${command}\` to write it`);
}

function isManifest(value: unknown): value is CommandManifest {
  const { entry, assets = [], pages = [], extensions = [], later = [] } = Object(value) as Partial<CommandManifest>;
  const hasAssets = (key: string) => (item: unknown) => {
    const { [key]: name, assets: own = [] } = Object(item) as Record<string, unknown>;
    return isText(name) && isList(own, isText);
  };
  const areListed = isList(pages, hasAssets("pattern")) && isList(extensions, hasAssets("point"));
  return isText(entry) && isList(assets, isText) && isList(later, isText) && areListed;
}

/** Lists the files outside of the package that its build command reads, relative to the package. */
export async function commandInputs(folder: string, { sources = [] }: BuildCommand): Promise<string[]> {
  const files = await Promise.all(
    sources.map(async (source) =>
      (await inputsBelow(path.join(folder, source))).map((file) => path.posix.join(source, file)),
    ),
  );
  return files.flat();
}

/**
 * Runs a command in the folder of a package, with further environment variables.
 *
 * @throws BuildError with what it printed, if it fails.
 */
export async function runCommand(
  folder: string,
  command: string,
  variables: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment(folder), ...variables },
    // A group of its own, so that `stop` ends also what the shell has started. Otherwise a terminal ends all.
    detached: signal !== undefined,
  });
  const stop = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid);
    } catch {
      // All have ended.
    }
  };
  signal?.addEventListener("abort", stop);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-MAX_PRINTED);
    });
  const [code] = (await once(child, "close")) as [number | null];
  signal?.removeEventListener("abort", stop);
  if (code === 0) return;
  const text = stripVTControlCharacters(printed).trim();
  throw new BuildError(`\`${command}\` failed with exit code ${String(code)}:\n${text}`);
}

/** As that of an npm script, without what authorizes at the gateway. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { PATH = "" } = process.env;
  const programs = moduleFolders(folder).map((modules) => path.join(modules, ".bin"));
  return {
    ...process.env,
    COLONNADE_TOKEN: undefined,
    COLONNADE_TOKEN_FILE: undefined,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: undefined,
    COLONNADE_CLIENT_KEY: undefined,
    PATH: [...programs, PATH].join(path.delimiter),
  };
}

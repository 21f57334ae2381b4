import { access as canRead } from "node:fs/promises";
import path from "node:path";

import { Option } from "@commander-js/extra-typings";

import { readRelease, RELEASE_FOLDER, type Release } from "../build/release.js";
import { CONFIG_FILE, UsageError } from "../build/config.js";
import { INPUTS_FILE, readInputs } from "../build/inputs.js";
import { hashInputs, type BuildMode } from "../build/version.js";

/** Versions by section name. Null removes the section. */
export type ReleaseChanges = Readonly<Record<string, string | null>>;

/** Creates the `--remove` option of the commands that take releases. */
export function removeOption() {
  return new Option("--remove <name>", "remove this section (repeatable)")
    .default<string[]>([], "none")
    .argParser((name: string, previous: string[]) => [...previous, name]);
}

/** Returns whether a file exists. */
export async function exists(file: string): Promise<boolean> {
  return canRead(file).then(
    () => true,
    () => false,
  );
}

/** Returns the error for an incomplete release folder. */
export function missingFile(file: string): UsageError {
  return new UsageError(`${file} is missing; delete release/ and run \`colonnade build\` again`);
}

/**
 * Reads the release of the last build in a folder. A folder without a `section.config.js`, such as a downloaded build
 * artifact, has no sources to compare the release with.
 *
 * @throws UsageError if there is no release, or if its inputs have changed since the build.
 */
export async function readCurrentRelease(folder: string): Promise<Release> {
  const target = path.join(folder, RELEASE_FOLDER);
  const release = await readRelease(target);
  if (!(await exists(path.join(folder, CONFIG_FILE)))) return release;
  const built = await readInputs(target);
  if (!built) throw missingFile(path.join(target, INPUTS_FILE));
  const current = await hashInputs(folder, built, built.outside);
  if (built.inputs === current) return release;
  throw new UsageError(
    `${target} is out of date: the sources, the lockfile, the kit or the command changed after ${release.name}@${release.version} ` +
      `was built (inputs ${built.inputs}, now ${current}); run \`${buildCommand(built)}\` first`,
  );
}

function buildCommand({ final, development }: BuildMode): string {
  return `colonnade build${final ? " --final" : ""}${development ? " --development" : ""}`;
}

/**
 * Combines the releases given as arguments with the sections to remove. Without either, returns the release of the
 * last build in this folder.
 *
 * @throws UsageError when an argument is not name@version, a section is named twice, or the release in this folder is
 *   missing or out of date.
 */
export async function parseReleases(
  folder: string,
  releases: readonly string[],
  removed: readonly string[],
): Promise<ReleaseChanges> {
  if (releases.length + removed.length === 0) {
    const { name, version } = await readCurrentRelease(folder);
    return { [name]: version };
  }
  const changes = new Map<string, string | null>();
  for (const [name, version] of [...releases.map(parseRelease), ...removed.map((name) => [name, null] as const)]) {
    if (changes.has(name)) throw new UsageError(`${name} is named twice; expected one release per section`);
    changes.set(name, version);
  }
  return Object.fromEntries(changes);
}

function parseRelease(release: string): readonly [name: string, version: string] {
  const at = release.indexOf("@");
  if (at < 1 || at === release.length - 1)
    throw new UsageError(`invalid release ${JSON.stringify(release)}; expected name@version, such as directory@1.4.0`);
  return [release.slice(0, at), release.slice(at + 1)];
}

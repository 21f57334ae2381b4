import path from "node:path";

import { Option } from "@commander-js/extra-typings";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";

/** Versions by section name. Null removes the section. */
export type ReleaseChanges = Readonly<Record<string, string | null>>;

/** Creates the `--remove` option of the commands that take releases. */
export function removeOption() {
  return new Option("--remove <name>", "remove this section (repeatable)")
    .default<string[]>([], "none")
    .argParser((name: string, previous: string[]) => [...previous, name]);
}

/**
 * Combines the releases given as arguments with the sections to remove. Without either, returns the release of the
 * last build in this folder.
 *
 * @throws UsageError when an argument is not name@version, or a section is named twice.
 */
export async function parseReleases(
  folder: string,
  releases: readonly string[],
  removed: readonly string[],
): Promise<ReleaseChanges> {
  if (releases.length + removed.length === 0) {
    const { name, version } = await readRelease(path.join(folder, RELEASE_FOLDER));
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

import path from "node:path";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";
import { text, type ListOption } from "./options.js";

/** Releases that are to be in a set: version by name; null takes the section out of it. */
export type WantedReleases = Readonly<Record<string, string | null>>;

/** How commands that take releases name them in their help. */
export const RELEASES = "[name@version …]";

/** An option of the commands that take releases. */
export const REMOVE = {
  value: "<name>",
  summary: "take this section out; may be given several times",
  read: text,
  repeatable: true,
} satisfies ListOption<string>;

/**
 * The releases that a command names, those it removes among them. Where it names nothing, the one that the last
 * build left in this folder.
 *
 * @throws UsageError when one is no name and version, or a section is named twice.
 */
export async function wantedReleases(
  folder: string,
  operands: readonly string[],
  removed: readonly string[],
): Promise<WantedReleases> {
  if (operands.length + removed.length === 0) {
    const { name, version } = await readRelease(path.join(folder, RELEASE_FOLDER));
    return { [name]: version };
  }
  const wanted = new Map<string, string | null>();
  for (const [name, version] of [...operands.map(parseRelease), ...removed.map((name) => [name, null] as const)]) {
    if (wanted.has(name)) throw new UsageError(`${name} is named twice; expected one release of each section`);
    wanted.set(name, version);
  }
  return Object.fromEntries(wanted);
}

function parseRelease(operand: string): readonly [name: string, version: string] {
  const at = operand.indexOf("@");
  if (at < 1 || at === operand.length - 1)
    throw new UsageError(`${JSON.stringify(operand)} names no release; expected name@version, such as directory@1.4.0`);
  return [operand.slice(0, at), operand.slice(at + 1)];
}

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { BuildTarget } from "./buildTarget.js";
import type { BuildIdentity, BuildMode } from "./version.js";

/** Name of the file, within a release folder, that describes what the release was built from. It is not published. */
export const INPUTS_FILE = "inputs.json";

/** What a release was built from: the contents of `inputs.json`. */
interface BuildInputs extends BuildMode {
  /** Hash of the inputs. */
  readonly inputs: string;
  /** The files outside of the package that the build read, relative to the package. The hash contains their contents. */
  readonly outside: readonly string[];
  /** The budget of the site that the release does not exceed. */
  readonly buildTarget?: BuildTarget;
}

/** Writes `inputs.json` to a release folder. */
export async function writeInputs(
  release: string,
  { inputs }: BuildIdentity,
  { final, development = false, shared = [] }: BuildMode,
  outside: readonly string[],
  buildTarget: BuildTarget | undefined,
): Promise<void> {
  const optional = { ...(shared.length > 0 && { shared }), ...(buildTarget && { buildTarget }) };
  const contents: BuildInputs = { inputs, outside, final, development, ...optional };
  await writeFile(path.join(release, INPUTS_FILE), `${JSON.stringify(contents)}\n`);
}

/** Reads `inputs.json` from a release folder. Returns undefined if there is none. */
export async function readInputs(release: string): Promise<BuildInputs | undefined> {
  const text = await readFile(path.join(release, INPUTS_FILE), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as BuildInputs);
}

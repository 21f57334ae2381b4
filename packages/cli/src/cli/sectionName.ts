import path from "node:path";

import { CONFIG_FILE, EXPECTED_NAME, isSectionName, loadConfig, UsageError } from "../build/config.js";
import { exists } from "./releases.js";

/**
 * Returns the name of the section in a folder.
 *
 * @throws UsageError if the folder has no section.
 */
export async function sectionIn(folder: string): Promise<string> {
  if (!(await exists(path.join(folder, CONFIG_FILE))))
    throw new UsageError(
      `${folder} has no ${CONFIG_FILE}; run this in the folder of a section, or name one with --section <name>`,
    );
  return (await loadConfig(folder)).name;
}

/**
 * Returns the section that `--section` names, or else the one in a folder.
 *
 * @throws UsageError if the name is invalid, or the folder has no section.
 */
export async function namedSection(name: string | undefined, folder: string): Promise<string> {
  if (name === undefined) return sectionIn(folder);
  if (isSectionName(name)) return name;
  throw new UsageError(`invalid section name ${JSON.stringify(name)}; expected ${EXPECTED_NAME}`);
}

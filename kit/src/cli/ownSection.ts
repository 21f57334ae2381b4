import { access as exists } from "node:fs/promises";
import path from "node:path";

import { CONFIG_FILE, loadConfig, UsageError } from "../build/config.js";

/**
 * Returns the name of the section in this folder.
 *
 * @throws UsageError when the folder contains no section.
 */
export async function sectionIn(folder: string): Promise<string> {
  await exists(path.join(folder, CONFIG_FILE)).catch(() => {
    throw new UsageError(
      `${folder} has no ${CONFIG_FILE}; run this in the folder of a section, or name one with --section <name>`,
    );
  });
  return (await loadConfig(folder)).name;
}

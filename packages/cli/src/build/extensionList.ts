import { writeFile } from "node:fs/promises";
import path from "node:path";

import type { ReleaseExtension, ReleaseExtensionPoint } from "./release.js";

/** The public file of a release with a {@link ExtensionList}, for checks of other sections. Absent if the list is empty. */
export const EXTENSIONS_FILE = "extensions.json";

/** What a release opens and fills. */
export interface ExtensionList {
  readonly extensionPoints: readonly ReleaseExtensionPoint[];
  readonly extensions: readonly Pick<ReleaseExtension, "point" | "order">[];
}

/** Writes {@link EXTENSIONS_FILE} below `output`, the folder of a release. */
export async function writeExtensionList(
  output: string,
  { extensionPoints, extensions }: ExtensionList,
): Promise<void> {
  if (extensionPoints.length + extensions.length === 0) return;
  const list: ExtensionList = { extensionPoints, extensions: extensions.map(({ point, order }) => ({ point, order })) };
  await writeFile(path.join(output, "client", EXTENSIONS_FILE), `${JSON.stringify(list, null, 2)}\n`);
}

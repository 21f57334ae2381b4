import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { SERVER_SOURCE_MAP } from "../build/server.js";

// How the gateway names positions in a section's server module.
const POSITION = /\bsection:(\d+):(\d+)/g;

/**
 * Replaces positions in a section's server module, such as `section:1:234`, by positions in its sources, such as
 * `src/pages/home.tsx:12:8`. Returns the text unchanged if it is not about the release in `folder`.
 */
export async function locateErrors(folder: string, text: string): Promise<string> {
  const target = path.join(folder, RELEASE_FOLDER);
  const release = await readRelease(target).catch(() => undefined);
  if (!release || !text.includes(`${release.name}@${release.version}`)) return text;
  const json = await readFile(path.join(target, SERVER_SOURCE_MAP), "utf8").catch(() => undefined);
  if (json === undefined) return text;
  const map = new SourceMap(JSON.parse(json) as SourceMapPayload);
  return text.replace(POSITION, (position, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry)) return position;
    const file = path.normalize(entry.originalSource);
    return `${file}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
  });
}

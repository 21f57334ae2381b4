import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module";
import path from "node:path";

import { readRelease, RELEASE_FOLDER } from "../build/release.js";
import { SERVER_MODULE, SERVER_SOURCE_MAP } from "../build/server.js";

// How the gateway names the page or extension that failed, and positions in the server module of its section.
const FAILED = /\((?:page \S+|extension) of ([a-z][a-z0-9-]*@[^\s)]+)\)/;
const POSITION = /\bsection:(\d+):(\d+)/g;

/**
 * Replaces positions in a section's server module, such as `section:1:234`, by positions in its sources, such as
 * `src/pages/home.tsx:12:8`. Leaves out positions in releases other than the one in `folder`: they are in minified code.
 */
export async function locateErrors(folder: string, text: string): Promise<string> {
  const target = path.join(folder, RELEASE_FOLDER);
  const release = await readRelease(target).catch(() => undefined);
  if (!release || !text.includes(`${release.name}@${release.version}`)) return text;
  const read = async (file: string): Promise<string> => readFile(path.join(target, file), "utf8").catch(() => "");
  const [map, code] = [await read(SERVER_SOURCE_MAP), await read(SERVER_MODULE)];
  if (map === "") return text;
  const positions = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const lines = code.split("\n");
  let failed: string | undefined;
  const located = text.split("\n").map((line) => {
    failed = FAILED.exec(line)?.[1] ?? failed;
    if (failed !== `${release.name}@${release.version}`) return line.replace(/ \(section:\d+:\d+\)/g, "");
    return line.replace(POSITION, (position, row: string, column: string) => {
      // The gateway's engine counts bytes of UTF-8, a source map counts UTF-16 code units.
      const before = Buffer.from(lines[Number(row) - 1] ?? "").subarray(0, Number(column) - 1);
      const entry = positions.findEntry(Number(row) - 1, before.toString().length) as Partial<SourceMapping>;
      const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
      if (originalSource === undefined) return position;
      return `${path.normalize(originalSource)}:${String(originalLine + 1)}:${String(originalColumn + 1)}`;
    });
  });
  return located.join("\n");
}

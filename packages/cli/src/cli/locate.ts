import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module";
import path from "node:path";

import { readRelease, RELEASE_FOLDER } from "../build/release.js";
import { SERVER_MODULE } from "../build/server.js";

// How the gateway names the page or extension that failed, and positions in the server module of its section and in its files for
// browsers.
const FAILED = /\((?:page \S+|extension) of ([a-z][a-z0-9-]*@[^\s)]+)\)/;
const POSITION = /\b(section|client\/[\w.~@+/-]+):(\d+):(\d+)/g;

/** The last build of a section. */
interface Built {
  /** The release, such as `events@1.0.0`. */
  readonly release: string;
  /**
   * Replaces positions in the server module and in files for browsers, such as `section:1:234` and `client/home.js:1:234`, by those in
   * the sources, such as `src/pages/home.tsx:12:8`. Those in files without a source map stay.
   */
  readonly locate: (text: string) => Promise<string>;
}

/** Returns the position in the sources of a line and a column of a script, both from 1. Undefined if no source is there. */
type FindSource = (line: number, column: number) => string | undefined;

/** Reads the release in `folder`. Returns undefined if there is none. */
export async function readBuilt(folder: string): Promise<Built | undefined> {
  const target = path.join(folder, RELEASE_FOLDER);
  const release = await readRelease(target).catch(() => undefined);
  if (!release) return undefined;
  const scripts = new Map<string, FindSource>();
  const locate = async (text: string): Promise<string> => {
    for (const [, script = ""] of text.matchAll(POSITION)) {
      const file = script === "section" ? SERVER_MODULE : script;
      if (scripts.has(script) || !release.files.some((listed) => listed.path === file)) continue;
      scripts.set(script, await readSourceMap(path.join(target, file), script === "section"));
    }
    return text.replace(
      POSITION,
      (position, script: string, line, column) => scripts.get(script)?.(Number(line), Number(column)) ?? position,
    );
  };
  return { release: `${release.name}@${release.version}`, locate };
}

/** Reads the source map of a script. `isServer`: the columns are those of the gateway's engine. */
async function readSourceMap(script: string, isServer: boolean): Promise<FindSource> {
  const read = async (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
  const [map, code] = [await read(`${script}.map`), isServer ? await read(script) : ""];
  if (map === "") return () => undefined;
  const positions = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const lines = code.split("\n");
  return (line, column) => {
    // The gateway's engine counts bytes of UTF-8, browsers and source maps count UTF-16 code units.
    const before = Buffer.from(lines[line - 1] ?? "").subarray(0, column - 1);
    const offset = isServer ? before.toString().length : column - 1;
    const {
      originalSource,
      originalLine = 0,
      originalColumn = 0,
    } = positions.findEntry(line - 1, offset) as Partial<SourceMapping>;
    if (originalSource === undefined) return undefined;
    return `${path.normalize(originalSource)}:${String(originalLine + 1)}:${String(originalColumn + 1)}`;
  };
}

/**
 * Locates errors that name positions in a section's server module. Leaves out positions in releases other than the one in `folder`:
 * they are in minified code.
 */
export async function locateErrors(folder: string, text: string): Promise<string> {
  const built = await readBuilt(folder);
  if (!built || !text.includes(built.release)) return text;
  let failed: string | undefined;
  const located: string[] = [];
  for (const line of text.split("\n")) {
    failed = FAILED.exec(line)?.[1] ?? failed;
    located.push(failed === built.release ? await built.locate(line) : withoutPositions(line));
  }
  return located.join("\n");
}

/** Leaves out positions in the server modules of sections, such as `(section:1:234)`. */
export function withoutPositions(text: string): string {
  return text.replace(/ \(section:\d+:\d+\)/g, "");
}

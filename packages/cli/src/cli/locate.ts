import { SourceMap, type SourceMapPayload } from "node:module";

// How the gateway names the page or extension that failed, and positions in the server module of its section and in its files for
// browsers.
const FAILED = /\((?:page \S+|extension) of ([a-z][a-z0-9-]*@[^\s)]+)\)/;
const POSITION = /\b(section|client\/[\w.~@+/-]+):(\d+):(\d+)/g;

/**
 * Reads the source map of a script of a release, such as `events@1.0.0`. The script is the start of a position, such as `section` or
 * `client/home.js`. Undefined if there is none, or if the caller may not read it. Rejects if the read may succeed later.
 */
export type ReadSourceMap = (release: string, script: string) => Promise<SourceMapPayload | undefined>;

/** Replaces positions in the scripts of a release by those in its sources. Those in scripts without a source map stay. */
export type Locate = (release: string, text: string) => Promise<string>;

/** Creates a function that locates positions, and reads each source map once. */
export function createLocate(read: ReadSourceMap): Locate {
  const maps = new Map<string, Promise<SourceMap | undefined>>();
  const mapOf = (release: string, script: string): Promise<SourceMap | undefined> => {
    const key = `${release} ${script}`;
    const known = maps.get(key) ?? read(release, script).then((map) => map && parse(map));
    maps.set(key, known);
    return known.catch(() => {
      maps.delete(key);
      return undefined;
    });
  };
  return async (release, text) => {
    const found = new Map<string, string | undefined>();
    for (const [position, script = "", line, column] of text.matchAll(POSITION))
      found.set(position, sourceOf(await mapOf(release, script), Number(line), Number(column)));
    return text.replace(POSITION, (position) => found.get(position) ?? position);
  };
}

/** The source map, unless it is malformed: a build command writes what it wants. */
function parse(map: SourceMapPayload): SourceMap | undefined {
  try {
    return new SourceMap(map);
  } catch {
    return undefined;
  }
}

/** Returns the position in the sources, such as `src/pages/home.tsx:12:8`, of a line and a column of a script, both from 1. */
function sourceOf(map: SourceMap | undefined, line: number, column: number): string | undefined {
  const entry = map?.findEntry(line - 1, column - 1);
  if (!entry || !("originalSource" in entry)) return undefined;
  return `${entry.originalSource}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
}

/** Locates the positions in errors of the gateway, which name the release. */
export function locateErrors(locate: Locate, errors: readonly string[]): Promise<string[]> {
  return Promise.all(errors.map((text) => locateError(locate, text)));
}

async function locateError(locate: Locate, text: string): Promise<string> {
  let failed: string | undefined;
  const located: string[] = [];
  for (const line of text.split("\n")) {
    failed = FAILED.exec(line)?.[1] ?? failed;
    located.push(failed === undefined ? line : await locate(failed, line));
  }
  return located.join("\n");
}

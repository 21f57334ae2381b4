import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapping } from "node:module";
import path from "node:path";

import { BUNDLE_NAME } from "./report.js";

// Packages in node_modules are compiled.
const SOURCE = /(?<!\.d)\.[mc]?tsx?$|\.jsx$/;

/** The positions of a section's sources. */
export interface Positions {
  /** The position of a stack in the bundle. */
  readonly positionOf: (stack: string) => string | undefined;
  /** The position of a part of the section's declaration. */
  readonly locationOf: (part: string) => string | undefined;
}

/** Returns whether a file is one of the package's own sources, or of those of a workspace package that it compiles. */
export function isOwnSource(folder: string, file: string): boolean {
  if (file.includes(`${path.sep}node_modules${path.sep}`)) return false;
  return file.startsWith(folder + path.sep) || SOURCE.test(file);
}

/** Formats a position in a file as `src/pages/lab.tsx:12:8`, relative to the package. Line and column start at 1. */
export function formatPosition(folder: string, file: string, line: number, column: number): string {
  return `${path.relative(folder, file).replaceAll(path.sep, "/")}:${String(line)}:${String(column)}`;
}

/** Parses the text of {@link formatPosition}. Returns undefined for another text. */
export function parsePosition(text = ""): { file: string; line: number; column: number } | undefined {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(text) ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

/**
 * Returns a function that maps a stack in the bundle to the position in the sources where the section is responsible: the
 * innermost frame in the package's own files, otherwise the innermost frame in a dependency. The entry module comes last,
 * because it only imports the pages. `script` is the bundle's name in stacks.
 */
export async function readPositions(
  folder: string,
  entry: string,
  mapFile: string,
  script = BUNDLE_NAME,
): Promise<(stack: string) => string | undefined> {
  let map: SourceMap | undefined;
  const text = await readFile(mapFile, "utf8");
  const frame = new RegExp(`${script.replaceAll(".", "\\.")}:(\\d+):(\\d+)`, "g");
  return (stack) => {
    const frames = [...stack.matchAll(frame)];
    if (frames.length === 0) return undefined;
    map ??= new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]);
    const mappings: SourceMapping[] = [];
    for (const [, line, column] of frames) {
      const mapping = map.findEntry(Number(line) - 1, Number(column) - 1) as Partial<SourceMapping>;
      // Code that webpack or a compiler adds has no source or no entry. Without an entry, the result is an entry of an earlier
      // line.
      if (mapping.generatedLine === Number(line) - 1 && path.isAbsolute(mapping.originalSource ?? ""))
        mappings.push(startOfCall(map, mapping as SourceMapping));
    }
    const own = mappings.filter(({ originalSource }) => isOwnSource(folder, originalSource));
    const mapping =
      own.find(({ originalSource }) => originalSource !== entry) ??
      mappings.find(({ originalSource }) => isDependency(originalSource)) ??
      own[0];
    return (
      mapping && formatPosition(folder, mapping.originalSource, mapping.originalLine + 1, mapping.originalColumn + 1)
    );
  };
}

// The types of Node.js lack the name.
type NamedMapping = SourceMapping & { readonly name?: string };

/** The name that a call starts with. Engines report the parenthesis of the call of an import, which webpack maps on its own. */
function startOfCall(map: SourceMap, mapping: NamedMapping): SourceMapping {
  const { generatedLine, generatedColumn, originalLine, originalColumn, name } = mapping;
  const before = map.findEntry(generatedLine, generatedColumn - 1) as Partial<NamedMapping>;
  const isName = name !== undefined && before.name === name && before.originalLine === originalLine;
  return isName && before.originalColumn === originalColumn - name.length ? (before as NamedMapping) : mapping;
}

// React calls components, and the kit is part of the check.
function isDependency(file: string): boolean {
  return /[\\/]node_modules[\\/](?!react(-dom|-router|-router-dom)?[\\/]|@colonnade[\\/])/.test(file);
}

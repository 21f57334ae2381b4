// The differences between two releases.
import type { ReleaseDescription, ReleaseFile } from "../openapi.js";

/** The size of a page, an extension or a file in two releases; null: the release does not have it. */
interface SizeDifference {
  readonly name: string;
  readonly from: number | null;
  readonly to: number | null;
}

export interface Differences {
  /** The first views of all pages, and all extensions. */
  readonly views: readonly SizeDifference[];
  /** The files that are not equal. */
  readonly files: readonly SizeDifference[];
  /** The number of equal files. */
  readonly unchanged: number;
}

/** The name of a file without the digest that bundlers put into it: two versions of a file have different digests. */
export function nameOf(path: string): string {
  return path.replace(/[.-][0-9a-f]{8,}(?=\.[^/]+$)/, "");
}

/** Compares two releases of a section. */
export function differencesOf(from: ReleaseDescription, to: ReleaseDescription): Differences {
  const sides = [from, to].map(({ files }) => byName(files)) as [Map<string, ReleaseFile>, Map<string, ReleaseFile>];
  const names = [...new Set(sides.flatMap((side) => [...side.keys()]))].sort();
  const changed = names.filter((name) => sides[0].get(name)?.digest !== sides[1].get(name)?.digest);
  const files = changed.map((name) => ({
    name,
    from: sides[0].get(name)?.bytes ?? null,
    to: sides[1].get(name)?.bytes ?? null,
  }));
  const [before, after] = [from, to].map(viewSizes) as [Map<string, number>, Map<string, number>];
  const viewed = [...new Set([...before.keys(), ...after.keys()])].sort();
  const views = viewed.map((name) => ({ name, from: before.get(name) ?? null, to: after.get(name) ?? null }));
  return { views, files, unchanged: names.length - changed.length };
}

// Files whose names differ only in the digest get a number. Source maps change with their scripts.
function byName(files: readonly ReleaseFile[]): Map<string, ReleaseFile> {
  const named = new Map<string, ReleaseFile>();
  for (const file of files.filter(({ path }) => !path.startsWith("server/maps/"))) {
    const name = nameOf(file.path);
    let unique = name;
    for (let number = 2; named.has(unique); number += 1) unique = `${name} (${String(number)})`;
    named.set(unique, file);
  }
  return named;
}

function viewSizes({ files, pages, extensions }: ReleaseDescription): Map<string, number> {
  const sizes = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const total = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
  const views = [
    ...pages.map((page) => ({ ...page, name: page.pattern })),
    ...extensions.map((each) => ({ ...each, name: each.point })),
  ];
  return new Map(views.map((view) => [view.name, total(view.files)]));
}

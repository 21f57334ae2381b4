import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { valid } from "semver";

import type { ContentPolicy } from "./policy.js";

/**
 * What a site allows a section, and shares with it. Sizes are those of a first view, in KiB compressed with Brotli, and absent without
 * a limit.
 */
export interface BuildTarget {
  /** The URL of the site, or of its admin listener. */
  readonly source: string;
  /** Scripts of a page or extension. */
  readonly scriptKib?: number;
  /** Stylesheets of a page or extension. */
  readonly styleKib?: number;
  /** Scripts of the extensions of single points, by the ID of the point. */
  readonly extensionPoints: Readonly<Record<string, number>>;
  /** The versions of the packages that the live shell shares. They count for no section. */
  readonly shared: Readonly<Record<string, string>>;
  /** The exports of these packages that it omits, as paths with dots. Absent if it omits none. */
  readonly omittedExports?: Readonly<Record<string, readonly string[]>>;
  /** What documents of the section may do. */
  readonly policy: ContentPolicy;
}

// The version of a release has what it changes in the files: the packages that are shared, and what they omit.
const FILE = ".colonnade/build-target.json";

/** Reads the build target in a response of a gateway or in a file. Undefined if it is none. */
export function parseTarget(text: string, source?: string): BuildTarget | undefined {
  try {
    const target = { source, ...(JSON.parse(text) as Partial<BuildTarget>) };
    const { scriptKib = 1, styleKib = 1, extensionPoints, shared, policy } = target;
    const limits = [scriptKib, styleKib, ...Object.values<unknown>({ ...extensionPoints })];
    const isTarget =
      typeof target.source === "string" &&
      typeof extensionPoints === "object" &&
      typeof policy === "object" &&
      typeof shared === "object" &&
      Object.values(shared).every((version) => valid(version) !== null) &&
      limits.every(Number.isInteger);
    return isTarget ? (target as BuildTarget) : undefined;
  } catch {
    return undefined;
  }
}

/** The build target that a command has last read for the section in a folder. Undefined if none has. */
export async function lastSeenTarget(folder: string): Promise<BuildTarget | undefined> {
  return parseTarget(await readFile(path.join(folder, FILE), "utf8").catch(() => ""));
}

/** Keeps a build target for {@link lastSeenTarget}. */
export async function keepTarget(folder: string, target: BuildTarget): Promise<void> {
  const file = path.join(folder, FILE);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(target, null, 2)}\n`);
}

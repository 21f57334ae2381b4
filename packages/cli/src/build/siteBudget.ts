import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { valid } from "semver";

/**
 * The maximum sizes of a first view that a site sets for a section, in KiB compressed with Brotli, absent without a limit; and the
 * packages that it shares, which count for no section.
 */
export interface SiteBudget {
  /** The URL of the site, or of its admin listener. */
  readonly source: string;
  /** Scripts of a page or extension. */
  readonly scriptKib?: number;
  /** Stylesheets of a page or extension. */
  readonly styleKib?: number;
  /** Scripts of the extensions of single points, by the ID of the point. */
  readonly extensionPoints: Readonly<Record<string, number>>;
  /** The versions of the packages that the live shell shares. */
  readonly shared: Readonly<Record<string, string>>;
  /** The exports of these packages that it omits, as paths with dots. Absent if it omits none. */
  readonly omittedExports?: Readonly<Record<string, readonly string[]>>;
}

// Not an input of the build: it changes no file of a release.
const FILE = ".colonnade/budget.json";

/** Reads the budget in a response of a gateway or in a file. Undefined if it is none. */
export function parseBudget(text: string, source?: string): SiteBudget | undefined {
  try {
    const budget = { source, ...(JSON.parse(text) as Partial<SiteBudget>) };
    const { scriptKib = 1, styleKib = 1, extensionPoints, shared } = budget;
    const limits = [scriptKib, styleKib, ...Object.values<unknown>({ ...extensionPoints })];
    const isBudget =
      typeof budget.source === "string" &&
      typeof extensionPoints === "object" &&
      typeof shared === "object" &&
      Object.values(shared).every((version) => valid(version) !== null) &&
      limits.every(Number.isInteger);
    return isBudget ? (budget as SiteBudget) : undefined;
  } catch {
    return undefined;
  }
}

/** The budget that a command has last read for the section in a folder. Undefined if none has. */
export async function lastSeenBudget(folder: string): Promise<SiteBudget | undefined> {
  return parseBudget(await readFile(path.join(folder, FILE), "utf8").catch(() => ""));
}

/** Keeps a budget for {@link lastSeenBudget}. */
export async function keepBudget(folder: string, budget: SiteBudget): Promise<void> {
  const file = path.join(folder, FILE);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(budget, null, 2)}\n`);
}

import { createRequire } from "node:module";
import path from "node:path";

import { satisfies } from "semver";

import { UsageError } from "./usageError.js";

const KIT = "@colonnade/kit";

/** Packages that the shell provides and sections share, with one instance per page. Sections bundle everything else. */
export const SHARED_PACKAGES = ["react", "react-dom", KIT] as const;
/** The parser of HTML, which every shell shares, too. It is a file of its own: the first view of a page does not need it. */
export const PARSER = `${KIT}/html/parser`;

/** Versions or version ranges, by what code imports: the name of a package, or a module of it, such as `zod/mini`. */
export type SharedVersions = Record<string, string>;

/**
 * Returns the installed versions of the packages that every shell shares and of `others`, resolved from a package's folder.
 *
 * @throws UsageError if one is not installed.
 */
export function installedVersions(folder: string, others: readonly string[] = []): SharedVersions {
  const require = createRequire(path.join(folder, "package.json"));
  return Object.fromEntries(
    [...SHARED_PACKAGES, ...others].map((specifier) => [specifier, versionOf(require, packageOf(specifier))]),
  );
}

/** The package of a module that code imports: `zod` of `zod/mini`. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/**
 * The folder of the package of a module that code in a folder imports.
 *
 * @throws UsageError if it is not installed.
 */
export function installedFolder(folder: string, specifier: string): string {
  return path.dirname(packageFile(createRequire(path.join(folder, "package.json")), packageOf(specifier)));
}

function versionOf(require: NodeJS.Require, name: string): string {
  return (require(packageFile(require, name)) as { version: string }).version;
}

/** What a section makes of the packages that a site shares besides those of every shell. */
export interface SiteRanges {
  /** The section's ranges of those whose version on the site it accepts. */
  readonly accepted: SharedVersions;
  /** The section's ranges of those whose version it does not accept: it bundles a copy of its own. */
  readonly refused: SharedVersions;
}

// `release.json` allows no other ranges of package.json, such as `workspace:*`.
const RANGE = /^(\^|~|>=)?\d[\w.+-]*( *\|\| *(\^|~|>=)?\d[\w.+-]*)*$/;
const DEPENDENCIES = ["dependencies", "peerDependencies", "devDependencies"] as const;

/**
 * Compares the versions that a site shares with the ranges of a section: those in package.json. In place of a range that
 * `release.json` does not allow, it is what is compatible with the installed version. The result omits packages that package.json does
 * not list, and is empty for a section with `build` in its configuration.
 */
export function siteRanges(
  folder: string,
  { kind, build }: { readonly kind?: string; readonly build?: object },
  versions: SharedVersions = {},
): SiteRanges {
  if (kind === "shell" || build) return { accepted: {}, refused: {} };
  const require = createRequire(path.join(folder, "package.json"));
  const manifest = require("./package.json") as Partial<Record<string, SharedVersions>>;
  const ranges: SiteRanges = { accepted: {}, refused: {} };
  for (const [specifier, version] of Object.entries(versions)) {
    const name = packageOf(specifier);
    const listed = DEPENDENCIES.map((kind) => manifest[kind]?.[name]).find((range) => range !== undefined);
    if (listed === undefined || isOfEveryShell(specifier)) continue;
    const range = RANGE.test(listed) ? listed : `^${versionOf(require, name)}`;
    (satisfies(version, range) ? ranges.accepted : ranges.refused)[specifier] = range;
  }
  return ranges;
}

// A package may not export its package.json, so the search walks the node_modules folders.
function packageFile(require: NodeJS.Require, name: string): string {
  const found = require.resolve.paths(name)?.map((folder) => path.join(folder, name, "package.json")) ?? [];
  for (const file of found) {
    try {
      return require.resolve(file);
    } catch {
      // Not in this folder; try its parent.
    }
  }
  // Plug'n'Play has no such folders. The build's loaders and child processes need them, too.
  if (process.versions.pnp !== undefined)
    throw new UsageError(`there is no node_modules; expected "nodeLinker: node-modules" in .yarnrc.yml`);
  throw new UsageError(`${name} is not installed; run npm install`);
}

/** A package that a shell shares: what code imports, such as `zod` or `zod/mini`. */
export type SharedPackage =
  | string
  | {
      readonly name: string;
      /**
       * Exports that are not shared, such as large ones that few sections use; also those of namespaces that the package exports. A
       * section that uses one bundles a copy of its own.
       */
      readonly omit: readonly string[];
    };

/** What a build makes of a package that a shell shares. */
export interface SharedModule {
  /** What code imports. */
  readonly name: string;
  /** Source of a module that exports what is shared. */
  readonly source: string;
  /** What the shell imports in the browser. */
  readonly request: string;
  /** The exports that are omitted, as paths. */
  readonly omitted: readonly string[];
}

/** The packages that a shell shares, with the exports that it omits. */
export function omitsOf(shared: readonly SharedPackage[] = []): ReadonlyMap<string, readonly string[]> {
  return new Map(shared.map((each) => (typeof each === "string" ? [each, []] : [each.name, each.omit])));
}

const SPECIFIER = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(\/[\w.~-]+)*$/;

/**
 * Checks the packages that a shell shares. `folder` is that of the shell.
 *
 * @throws UsageError if an entry is no installed package that a shell can share.
 */
export function checkSharedPackages(file: string, shared: unknown, folder: string): void {
  const expected = 'expected a list of packages, such as ["react-hook-form", { name: "zod", omit: ["locales"] }]';
  if (!Array.isArray(shared) || !shared.every(isSharedPackage))
    throw new UsageError(`${file}: shared is ${JSON.stringify(shared)}; ${expected}`);
  const names = [...omitsOf(shared).keys()];
  if (names.length < shared.length) throw new UsageError(`${file}: shared lists a package twice; expected each once`);
  const own = names.find(isOfEveryShell);
  if (own !== undefined)
    throw new UsageError(`${file}: shared has "${own}"; expected other packages: every shell shares it`);
  installedVersions(folder, names);
}

function isSharedPackage(value: unknown): value is SharedPackage {
  if (typeof value === "string") return SPECIFIER.test(value);
  const { name, omit, ...others } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isList = Array.isArray(omit) && omit.length > 0 && omit.every((each) => typeof each === "string");
  return typeof name === "string" && SPECIFIER.test(name) && isList && Object.keys(others).length === 0;
}

/** Adds the range of {@link PARSER} to those of the packages of a site that a section takes from the shell. */
export function withParser(ranges: SharedVersions, installed: SharedVersions): SharedVersions {
  return { ...neededRanges(parserVersion(installed)), ...ranges };
}

/** The version of {@link PARSER}: that of the kit. */
export function parserVersion({ [KIT]: version = "" }: SharedVersions): SharedVersions {
  return { [PARSER]: version };
}

/** Other modules of the kit are those of a section unless a shell lists them. */
function isOfEveryShell(specifier: string): boolean {
  const name = packageOf(specifier);
  return name === KIT
    ? specifier === KIT || specifier === PARSER
    : (SHARED_PACKAGES as readonly string[]).includes(name);
}

/**
 * Returns the version ranges that a section requires: compatible with the versions it was built against. Any later kit is
 * compatible if its contract is the same, which the gateway checks by the contract in the release.
 */
export function neededRanges(installed: SharedVersions): SharedVersions {
  return Object.fromEntries(
    Object.entries(installed).map(([name, version]) => [
      name,
      `${packageOf(name) === KIT ? ">=" : "^"}${version.split("-")[0] ?? version}`,
    ]),
  );
}

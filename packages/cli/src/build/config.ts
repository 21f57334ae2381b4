import { access } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import type { SectionConfiguration } from "@colonnade/kit";
import type { Configuration } from "webpack";

import { checkBuild, type BuildCommand, type RemoteBuild } from "./commandConfig.js";
import { checkExposes, type Exposes } from "./exposes.js";
import { checkFolder } from "./folder.js";
import { checkImages, IMAGE_KEYS, type ImageConfig } from "./images.js";
import { checkFile } from "./isFile.js";
import { checkMeta } from "./meta.js";
import { unknownKey } from "./nearNames.js";
import { checkPolicy, type ContentPolicy } from "./policy.js";
import { checkTypes, type FactTypes } from "./settings.js";
import { checkSharedPackages, type SharedPackage } from "./shared.js";
import { UsageError } from "./usageError.js";

/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Part of a build: the files that browsers load, or the server module. */
export type BuildSide = "client" | "server";

/** The maximum size of a first view of a section, in KiB compressed with Brotli. */
export interface Budget {
  /** Scripts of a page or extension, including the section's entry. Default: 32. */
  readonly scriptKib?: number;
  /** Stylesheets of a page or extension. Default: 8. */
  readonly styleKib?: number;
}

/**
 * Build configuration of a package: the default export of its `section.config.js`. `Config` is the section's own type of the values
 * that `useConfig<Config>()` returns, which `config` must match.
 */
export interface SectionConfig<Config extends object = SectionConfiguration> extends ImageConfig {
  /** Name of the section, or `shell` for the shell. */
  readonly name: string;
  /**
   * Path of the entry module, relative to the package. Its default export is `defineSection({ … })`, or a shell's
   * `createShell({ … })`.
   */
  readonly entry: string;
  /** Section only: the section's own build, such as by Vite or Rspack, or an existing remote of Module Federation. */
  readonly build?: BuildCommand | RemoteBuild;
  /** Default: `section`. */
  readonly kind?: "section" | "shell";
  /**
   * The facts of `[site.facts]` that the package reads, with their types. A deploy to a site that lacks one is rejected.
   */
  readonly facts?: FactTypes;
  /**
   * Section only: the values of `[sections.<name>.config]` that the section reads, with their types. A deploy to a site that lacks
   * one is rejected.
   */
  readonly config?: FactTypes<Config>;
  /** What the documents of the package need in addition to the strict default. A deploy to a site that does not permit it is rejected. */
  readonly policy?: ContentPolicy;
  /**
   * Section only: modules that other sections can load, as `{ "./PriceTag": "./src/PriceTag.tsx" }`: by their names in the container,
   * their paths relative to the package. They run in browsers only.
   */
  readonly exposes?: Exposes;
  /**
   * Section only: what builds the container. `enhanced` is the plugin of `@module-federation/enhanced`, which must be installed in
   * the package; its container uses the runtime of the shell. Default: `webpack`, whose container is half the size.
   */
  readonly federation?: "webpack" | "enhanced";
  /** Constants by name. The build replaces each name in the code of the package and its dependencies by the value. */
  readonly define?: Readonly<Record<string, JsonValue>>;
  /** Section only: the size budget of each page and extension, where the site allows no less. */
  readonly budget?: Budget;
  /**
   * Section only: whether the release contains the source maps of its scripts, with which positions of errors are positions in the
   * sources. The section's team and the operators can read them, visitors cannot. Default: true.
   */
  readonly sourceMaps?: boolean;
  /**
   * Section only: changes the webpack configuration, for what has no other setting. Called for each side, after everything else,
   * also for `colonnade check`. Returns the configuration to use.
   */
  readonly webpack?: (configuration: Configuration, context: { readonly side: BuildSide }) => Configuration;
  /**
   * Shell only: packages that sections can use in place of copies of their own, besides React and the kit. Each entry is what code
   * imports: `zod` does not include `zod/mini`.
   */
  readonly shared?: readonly SharedPackage[];
  /** Shell only: path of the favicon, relative to the package. */
  readonly icon?: string;
  /** Shell only: contents of meta tags of every document, by name. Not those that the gateway or a page's head writes. */
  readonly meta?: Readonly<Record<string, string>>;
}

/** Declares a package's build configuration. Returns its argument; it provides type checking, as {@link SectionConfig} says. */
export function defineConfig<Config extends object = SectionConfiguration>(
  config: SectionConfig<Config>,
): SectionConfig<Config> {
  return config;
}

/** Name of a package's build configuration file. */
export const CONFIG_FILE = "section.config.js";
const BUDGET_KEYS = ["scriptKib", "styleKib"];
const SECTION_KEYS = ["build", "config", "exposes", "federation", "budget", "sourceMaps", "webpack"];
const SHELL_KEYS = ["shared", "icon", "meta", ...IMAGE_KEYS];
const KEYS = ["name", "entry", "kind", "facts", "policy", "define", ...SECTION_KEYS, ...SHELL_KEYS];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Description of a valid section name, for error messages. */
export const EXPECTED_NAME = 'a lowercase letter followed by up to 31 of a-z, 0-9 and "-"';

/** Returns whether a section or the shell can have this name. */
export function isSectionName(name: string): boolean {
  return NAME.test(name);
}

export { UsageError };

/**
 * Reads a package's `section.config.js`.
 *
 * @throws UsageError if the file is missing, a value is invalid, or the tools of a build cannot read the folder.
 */
export async function loadConfig(folder: string): Promise<SectionConfig> {
  const file = path.join(folder, CONFIG_FILE);
  await access(file).catch(() => {
    throw new UsageError(`${folder} has no ${CONFIG_FILE}; run this in the folder of a section`);
  });
  await checkFolder(folder);
  const module = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${String(error)}`, { cause: error });
  })) as { default?: Readonly<Record<string, unknown>> | null };
  const config = module.default;
  if (typeof config !== "object" || config === null)
    throw new UsageError(`${file}: expected a default export made by defineConfig({ name, entry })`);
  const problems = await configProblems(folder, file, config);
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  return { kind: "section", ...(Object.fromEntries(given) as unknown as SectionConfig) };
}

/** Finds all that is wrong in a configuration. */
async function configProblems(
  folder: string,
  file: string,
  config: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const reject = (isWrong: boolean, problem: string): void => {
    if (isWrong) problems.push(`${file}: ${problem}`);
  };
  const attempt = async <Args extends unknown[]>(check: (...args: Args) => unknown, ...args: Args): Promise<void> => {
    try {
      await check(...args);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  };
  const { kind = "section", name, entry } = config;
  const isShell = kind === "shell";
  const unknown = Object.keys(config).filter((key) => !KEYS.includes(key));
  for (const key of unknown) reject(true, unknownKey(KEYS, key));
  const isNamed = typeof name === "string" && isSectionName(name);
  reject(!isNamed, `name is ${JSON.stringify(name)}; expected ${EXPECTED_NAME}`);
  const isKind = kind === "section" || isShell;
  reject(!isKind, `kind is ${JSON.stringify(kind)}; expected "section" or "shell"`);
  reject(
    isNamed && isKind && isShell !== (name === "shell"),
    `name is "${String(name)}" and kind is "${String(kind)}"; the shell needs both to be "shell", a section neither`,
  );
  await attempt(checkFile, file, folder, "entry", entry, "the path of the entry module");
  const advice = isShell ? "a section; remove it" : 'a shell; remove it, or set kind: "shell"';
  const foreign = (isShell ? SECTION_KEYS : SHELL_KEYS).filter((key) => isKind && config[key] !== undefined);
  for (const key of foreign) reject(true, `${key} is only for ${advice}`);
  const own = Object.entries(config).filter(([key, value]) => value !== undefined && !foreign.includes(key));
  const { facts, config: values, policy, ...others } = Object.fromEntries(own);
  const { build, exposes, federation, define, budget, sourceMaps, webpack, shared, meta, icon } = others;
  if (facts !== undefined) await attempt(checkTypes, file, "facts", facts);
  if (values !== undefined) await attempt(checkTypes, file, "config", values);
  if (policy !== undefined) await attempt(checkPolicy, file, policy);
  if (build !== undefined) await attempt(checkBuild, file, others);
  if (exposes !== undefined) await attempt(checkExposes, file, exposes, folder);
  reject(
    federation !== undefined && federation !== "webpack" && federation !== "enhanced",
    `federation is ${JSON.stringify(federation)}; expected "webpack" or "enhanced"`,
  );
  reject(
    sourceMaps !== undefined && typeof sourceMaps !== "boolean",
    `sourceMaps is ${JSON.stringify(sourceMaps)}; expected a boolean`,
  );
  if (shared !== undefined) await attempt(checkSharedPackages, file, shared, folder);
  if (meta !== undefined) await attempt(checkMeta, file, meta);
  if (budget !== undefined) await attempt(checkBudget, file, budget);
  if (define !== undefined) await attempt(checkDefine, file, define);
  reject(
    webpack !== undefined && typeof webpack !== "function",
    `webpack is ${JSON.stringify(webpack)}; expected a function`,
  );
  if (icon !== undefined) await attempt(checkFile, file, folder, "icon", icon, "the path of the favicon");
  await attempt(checkImages, file, others);
  return problems;
}

function checkBudget(file: string, budget: unknown): void {
  if (typeof budget !== "object" || budget === null || Array.isArray(budget))
    throw new UsageError(`${file}: budget is ${JSON.stringify(budget)}; expected { scriptKib, styleKib }`);
  for (const [key, value] of Object.entries(budget)) {
    if (!BUDGET_KEYS.includes(key)) throw new UsageError(`${file}: budget has the ${unknownKey(BUDGET_KEYS, key)}`);
    if (typeof value !== "number" || !(value > 0))
      throw new UsageError(`${file}: budget.${key} is ${JSON.stringify(value)}; expected a positive number`);
  }
}

function checkDefine(file: string, define: unknown): void {
  if (typeof define !== "object" || define === null || Array.isArray(define))
    throw new UsageError(`${file}: define is ${JSON.stringify(define)}; expected { NAME: value }`);
  for (const [name, value] of Object.entries(define)) {
    if (!/^[A-Za-z_$][\w$]*$/.test(name))
      throw new UsageError(`${file}: define has the name ${JSON.stringify(name)}; expected an identifier`);
    if (!isJson(value))
      throw new UsageError(
        `${file}: define.${name} is not a JSON value; expected a string, a finite number, a boolean, null, or a list or object of these`,
      );
  }
}

function isJson(value: unknown): value is JsonValue {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null)
    return value === null || typeof value === "string" || typeof value === "boolean";
  if (Array.isArray(value)) return value.every(isJson);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
}

/** Returns the code that replaces each name. */
export function constants(define: NonNullable<SectionConfig["define"]>): Record<string, string> {
  return Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)]));
}

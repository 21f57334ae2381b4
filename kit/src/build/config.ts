import { access, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { PICTURE_KEYS, readPictures, type Pictures } from "./pictures.js";
import { UsageError } from "./problem.js";

/** What a package says about itself to the build: the default export of its `section.config.js`. */
export interface SectionConfig extends Pictures {
  /** Name of the section; `shell` for the shell. */
  readonly name: string;
  /** Entry module, relative to the package: for a section, the module whose default export is its `defineSection`. */
  readonly entry: string;
  /** `section` (the default) or `shell`. */
  readonly kind?: "section" | "shell";
  /** The shell's favicon, relative to the package. */
  readonly icon?: string;
  /** The shell's module that runs with its first script, before React's renderer is there, relative to the package. */
  readonly early?: string;
  /** The shell's module that renders a page on the server, relative to the package. */
  readonly server?: string;
}

/** Declares a package's build. Returns its argument; it exists for the types. */
export function defineConfig(config: SectionConfig): SectionConfig {
  return config;
}

/** The file in which a package describes itself to the build. */
export const CONFIG_FILE = "section.config.js";
/** What the shell alone has, and what is expected of it. */
const SHELL_FILES = {
  icon: "the path of the shell's favicon",
  early: "the path of the shell's module that runs first",
  server: "the path of the shell's module that renders",
} as const;
const KEYS = new Set(["name", "entry", "kind", ...Object.keys(SHELL_FILES), ...PICTURE_KEYS]);
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** What a section may be called, in words. */
export const EXPECTED_NAME = 'a lower-case letter, then at most 31 of a-z, 0-9 and "-"';

/** Whether a section, or the shell, may be called this. */
export function isSectionName(name: string): boolean {
  return NAME.test(name);
}

export { UsageError };

/**
 * Reads a package's `section.config.js`.
 *
 * @throws UsageError when it is missing or says something that cannot be.
 */
export async function loadConfig(folder: string): Promise<SectionConfig> {
  const file = path.join(folder, CONFIG_FILE);
  await access(file).catch(() => {
    throw new UsageError(`${folder} has no ${CONFIG_FILE}: run this in the folder of a section`);
  });
  const module = (await import(pathToFileURL(file).href)) as { default?: Readonly<Record<string, unknown>> | null };
  const config = module.default;
  if (typeof config !== "object" || config === null)
    throw new UsageError(`${file}: expected a default export made by defineConfig({ name, entry })`);
  for (const key of Object.keys(config)) {
    if (!KEYS.has(key)) throw new UsageError(`${file}: unknown key "${key}"; expected ${[...KEYS].join(", ")}`);
  }
  const { name, entry, kind = "section" } = config;
  if (typeof name !== "string" || !isSectionName(name))
    throw new UsageError(`${file}: name is ${JSON.stringify(name)}; expected ${EXPECTED_NAME}`);
  if (kind !== "section" && kind !== "shell")
    throw new UsageError(`${file}: kind is ${JSON.stringify(kind)}; expected "section" or "shell"`);
  if ((kind === "shell") !== (name === "shell"))
    throw new UsageError(`${file}: the name "shell" and the kind "shell" go together`);
  if (typeof entry !== "string" || !(await isFile(folder, entry)))
    throw new UsageError(`${file}: entry is ${JSON.stringify(entry)}; expected the path of the entry module`);
  const shellFiles: Partial<Record<keyof typeof SHELL_FILES, string>> = {};
  for (const [key, expected] of Object.entries(SHELL_FILES) as [keyof typeof SHELL_FILES, string][]) {
    const value = config[key];
    if (value === undefined) continue;
    if (typeof value !== "string" || kind !== "shell" || !(await isFile(folder, value)))
      throw new UsageError(`${file}: ${key} is ${JSON.stringify(value)}; expected ${expected}`);
    shellFiles[key] = value;
  }
  return { name, entry, kind, ...shellFiles, ...readPictures(file, config, kind) };
}

async function isFile(folder: string, file: string): Promise<boolean> {
  return stat(path.join(folder, file)).then(
    (found) => found.isFile(),
    () => false,
  );
}

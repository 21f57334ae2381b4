import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { pathTo } from "@colonnade/kit/contract";
import { commandsFor, type PackageManager } from "./packageManager.js";

/** Parameters of a new section. */
interface NewSection {
  readonly name: string;
  /** Path pattern of its page. */
  readonly pattern: string;
  /** Version or file of each of the {@link PACKAGES}, by name. */
  readonly packages: Readonly<Record<string, string>>;
  readonly packageManager: PackageManager;
}

/** The packages of this repository that a section depends on. They have one version. */
export const PACKAGES = ["@colonnade/kit", "@colonnade/cli"] as const;
// This package, or the copy of its manifest and its template in @colonnade/create-section.
const PACKAGE_FOLDER = path.resolve(import.meta.dirname, "../..");
// The template is a working section, so that it is compiled and linted in place.
const TEMPLATE = path.join(PACKAGE_FOLDER, "templates/section");
// npm does not pack files named .gitignore.
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };
// `home.params.tsx` replaces `home.tsx` if the pattern has parameters.
const PARAMS_SUFFIX = ".params";
// Files with commands of the package manager.
const COMMANDS = /\.(md|yml)$/;
const PLACEHOLDER = /\/section-(?:path|example)\/?|section-name|Section title/g;
/** Param of the template's second page, whose pattern extends that of the first. */
const TOPIC = ":topic";

/** Reads the version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(PACKAGE_FOLDER, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/** The versions of packages that a new section depends on, by name. */
export function pinnedVersions(): Readonly<Record<string, string>> {
  const template = readFileSync(path.join(TEMPLATE, "package.json"), "utf8");
  const { dependencies, devDependencies } = JSON.parse(template) as Record<string, Readonly<Record<string, string>>>;
  return { ...dependencies, ...devDependencies };
}

/** Returns the path patterns of a section's pages. `pattern` is the pattern of the first page. */
export function pagePatterns(pattern: string): readonly string[] {
  return [pattern, `${below(pattern)}${TOPIC}`];
}

/** Writes the files of a new section. Returns their paths, relative to the folder. */
export async function scaffold(folder: string, section: NewSection): Promise<string[]> {
  const { packageManager } = section;
  const sources = await templateFiles(section.pattern.includes(":"));
  const values = placeholderValues(section);
  const files = new Map(Object.entries(packageManager.files));
  for (const [file, source] of sources) {
    const template = await readFile(path.join(TEMPLATE, source), "utf8");
    const text =
      file === "package.json"
        ? packageJson(template, section)
        : template.replace(PLACEHOLDER, (placeholder) => values[placeholder] ?? placeholder);
    files.set(file, COMMANDS.test(file) ? commandsFor(packageManager, text) : text);
  }
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return [...files.keys()].sort();
}

// The prefix of the paths below a path or pattern.
function below(pattern: string): string {
  return pattern === "/" ? pattern : `${pattern}/`;
}

/** Maps the files of the new section to the template files. */
async function templateFiles(hasParams: boolean): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(TEMPLATE, path.join(entry.parentPath, entry.name)))
    // Leftovers of a build or an editor.
    .filter((file) => !/^(node_modules|release)\b/.test(file));
  const base = files.filter((file) => !file.includes(PARAMS_SUFFIX));
  return new Map(
    base.map((file) => {
      const { dir, name, ext } = path.parse(file);
      const variant = path.join(dir, `${name}${PARAMS_SUFFIX}${ext}`);
      return [RENAMED[file] ?? file, hasParams && files.includes(variant) ? variant : file];
    }),
  );
}

function placeholderValues({ name, pattern }: NewSection): Readonly<Record<string, string>> {
  const params = [...pattern.matchAll(/:(\w+)/g)].map(([, param = ""]) => [param, "example"] as const);
  const words = name.replaceAll("-", " ").trim();
  const example = pathTo(pattern, Object.fromEntries(params));
  return {
    "section-name": name,
    "/section-path": pattern,
    "/section-path/": below(pattern),
    "/section-example": example,
    "/section-example/": below(example),
    "Section title": `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  };
}

function packageJson(template: string, { name, packages, packageManager }: NewSection): string {
  const manifest = JSON.parse(template) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  const withSpecs = (group: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(group).map(([dependency, spec]) => [dependency, packages[dependency] ?? spec]));
  const dependencies = withSpecs(manifest.dependencies);
  const devDependencies = withSpecs(manifest.devDependencies);
  const created = { ...manifest, name, ...packageManager.manifest, dependencies, devDependencies };
  return `${JSON.stringify(created, null, 2)}\n`;
}

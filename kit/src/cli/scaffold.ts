import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { pathTo } from "../paths.js";

/** What a new section is to be. */
export interface NewSection {
  readonly name: string;
  /** The path pattern of its page. */
  readonly pattern: string;
  /** Where npm gets the kit. */
  readonly kit: string;
}

const KIT_FOLDER = path.resolve(import.meta.dirname, "../..");
// A section like any other, so that it is compiled and linted where it stands.
const TEMPLATE = path.join(KIT_FOLDER, "templates/section");
// npm packs no file called .gitignore.
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };
// `home.params.tsx` takes the place of `home.tsx` where the pattern has params.
const FOR_PARAMS = ".params";
const PLACEHOLDER = /\/section-path|\/section-example|section-name|Section title/g;

/** This kit's own version. */
export async function kitVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(KIT_FOLDER, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Writes a new section's files. Returns their paths below the folder. */
export async function scaffold(folder: string, section: NewSection): Promise<string[]> {
  const sources = await templateFiles(section.pattern.includes(":"));
  const texts = substitutes(section);
  for (const [file, source] of sources) {
    const template = await readFile(path.join(TEMPLATE, source), "utf8");
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(
      target,
      file === "package.json"
        ? manifest(template, section)
        : template.replace(PLACEHOLDER, (word) => texts[word] ?? word),
    );
  }
  return [...sources.keys()].sort();
}

/** The template's files by the paths they get. */
async function templateFiles(hasParams: boolean): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(TEMPLATE, path.join(entry.parentPath, entry.name)))
    // What a build or an editor left in the template is none of it.
    .filter((file) => !/^(node_modules|release)\b/.test(file));
  const plain = files.filter((file) => !file.includes(FOR_PARAMS));
  return new Map(
    plain.map((file) => {
      const { dir, name, ext } = path.parse(file);
      const variant = path.join(dir, `${name}${FOR_PARAMS}${ext}`);
      return [RENAMED[file] ?? file, hasParams && files.includes(variant) ? variant : file];
    }),
  );
}

function substitutes({ name, pattern }: NewSection): Readonly<Record<string, string>> {
  const params = [...pattern.matchAll(/:(\w+)/g)].map(([, param = ""]) => [param, "example"] as const);
  const words = name.replaceAll("-", " ").trim();
  return {
    "section-name": name,
    "/section-path": pattern,
    "/section-example": pathTo(pattern, Object.fromEntries(params)),
    "Section title": `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  };
}

function manifest(template: string, { name, kit }: NewSection): string {
  const found = JSON.parse(template) as { dependencies: Record<string, string> };
  const dependencies = { ...found.dependencies, "@colonnade/kit": kit };
  return `${JSON.stringify({ ...found, name, dependencies }, null, 2)}\n`;
}

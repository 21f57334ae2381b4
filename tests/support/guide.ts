import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { ROOT } from "./repository.mjs";

/** A code block of a page in docs/. */
interface CodeBlock {
  /** The heading of level 2 above the block. */
  readonly heading: string;
  readonly language: string;
  /** The file name in brackets after the language. */
  readonly file: string | undefined;
  readonly text: string;
}

const DOCS = path.join(ROOT, "docs");
const HEADING_OR_BLOCK = /^## (?<heading>[^\n]+)$|^```(?<language>\w+)(?: \[(?<file>[^\]]+)\])?\n(?<text>.*?)^```$/gms;
const PAGES = "pages: {\n";

async function readBlocks(page: string): Promise<CodeBlock[]> {
  const markdown = await readFile(path.join(DOCS, page), "utf8");
  const blocks: CodeBlock[] = [];
  let current = "";
  for (const { groups: { heading, language, file, text = "" } = {} } of markdown.matchAll(HEADING_OR_BLOCK)) {
    if (heading !== undefined) current = heading;
    else if (language !== undefined) blocks.push({ heading: current, language, file, text });
  }
  return blocks;
}

/** Reads the shell commands under a heading of a page, without their comments. */
export async function readCommands(page: string, heading: string): Promise<string[]> {
  const blocks = await readBlocks(page);
  const commands = blocks
    .filter((block) => block.heading === heading && block.language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"))
    .map((line) => line.replace(/ +#.*/, ""));
  if (commands.length === 0) throw new Error(`docs/${page} has no commands under "${heading}"`);
  return commands;
}

/** Writes the files that a page shows into a section, and adds its lines "in pages" to the section's pages. */
export async function writeFiles(page: string, section: string): Promise<void> {
  for (const { file, text } of await readBlocks(page)) {
    const [name, isPages] = file?.split(", in pages") ?? [];
    if (name === undefined) continue;
    const target = path.join(section, name);
    if (isPages === undefined) {
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
      continue;
    }
    const entry = await readFile(target, "utf8");
    if (!entry.includes(PAGES)) throw new Error(`${target} has no pages`);
    await writeFile(target, entry.replace(PAGES, `${PAGES}${text}`));
  }
}

/** The pages of docs/recipes. */
export async function recipes(): Promise<string[]> {
  const files = await readdir(path.join(DOCS, "recipes"));
  return files.map((file) => `recipes/${file}`);
}

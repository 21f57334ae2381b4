import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "../build/usageError.js";
import { IGNORED } from "../build/version.js";

/** Changes the sources of a section from one version of the section contract to the next. */
export interface Codemod {
  /** Version of the contract that the codemod reads. */
  readonly from: number;
  /** Version of the contract that the codemod writes. It is greater than `from`. */
  readonly to: number;
  /** Returns the new text of a source file, or the same text. `file` is relative to the section, with forward slashes. */
  readonly transform: (file: string, text: string) => string;
}

/** All codemods, in order. Contract 1 is the first. A new contract needs a codemod that also sets `contract`. */
export const CODEMODS: readonly Codemod[] = [];

const SOURCE = /\.([cm]?[jt]sx?|css|scss|sass|mdx?|json)$/;

/**
 * Selects the codemods that lead from one contract to another.
 *
 * @throws UsageError if there is no codemod for a step.
 */
export function codemodsBetween(codemods: readonly Codemod[], from: number, to: number): Codemod[] {
  if (from > to)
    throw new UsageError(
      `the section has contract ${String(from)}, but this kit supports contract ${String(to)}; run \`colonnade upgrade\` of a later kit`,
    );
  const selected: Codemod[] = [];
  for (let contract = from; contract < to;) {
    const codemod = codemods.find((candidate) => candidate.from === contract);
    if (!codemod)
      throw new UsageError(`this kit has no codemod from contract ${String(contract)}; change the section by hand`);
    selected.push(codemod);
    contract = codemod.to;
  }
  return selected;
}

/** Applies codemods to the sources of a section, without writing. Returns the changed texts by file. */
export async function transformSources(folder: string, codemods: readonly Codemod[]): Promise<Map<string, string>> {
  const changed = new Map<string, string>();
  if (codemods.length === 0) return changed;
  for (const file of await sourceFiles(folder)) {
    const text = await readFile(path.join(folder, file), "utf8");
    const transformed = codemods.reduce((current, { transform }) => transform(file, current), text);
    if (transformed !== text) changed.set(file, transformed);
  }
  return changed;
}

/** Writes texts by file, relative to a folder. */
export async function writeTexts(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of texts) await writeFile(path.join(folder, file), text);
}

// Unlike a build, an upgrade also changes tests.
async function sourceFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !IGNORED.has(name));
  const files = await Promise.all(names.map((name) => filesBelow(folder, name)));
  return files.flat().sort();
}

async function filesBelow(folder: string, name: string): Promise<string[]> {
  const root = path.join(folder, name);
  if (!(await stat(root)).isDirectory()) return SOURCE.test(name) ? [name] : [];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}

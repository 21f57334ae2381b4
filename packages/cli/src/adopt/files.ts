import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import postcss from "postcss";

import { scopedStyles } from "../build/scopedStyles.js";
import { UsageError } from "../build/usageError.js";
import type { Remote } from "./manifest.js";
import { isOwnName, prefixOf } from "./names.js";

/** A file of a remote. */
export interface RemoteFile {
  /** With forward slashes. */
  readonly path: string;
  readonly contents: Buffer;
}

// Pages of the remote's own site, source maps, declarations, what describes the build, and files of tools.
const OMITTED = /\.(html|map)$|(^|\/)(\.|@mf-types|mf-stats\.json$)/;

/** Texts of scripts that the site's policy blocks. Minifiers keep them. */
const BLOCKED = [
  {
    text: /Couldn't find a style target/,
    problem: "style-loader creates <style> elements, which the site's policy blocks",
    expected: "stylesheets: MiniCssExtractPlugin.loader of webpack, or CssExtractRspackPlugin.loader of Rspack",
  },
  {
    text: /\/\/# sourceURL=webpack/,
    problem: "a development build calls eval(), which the site's policy blocks",
    expected: 'a production build: mode: "production"',
  },
];

/** Texts of packages that the shell provides, with which a remote would have a second instance. Minifiers keep them. */
const BUNDLED = {
  react: "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE=",
  "react-dom": "__DOM_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE=",
};

/**
 * The global array through which the scripts of webpack or Rspack find each other: where it is created by its default name, and
 * where a chunk is added to an array of any name. Minifiers change the rest.
 */
const CHUNKS = [
  /\b((?:webpack|rspack)Chunk[\w$]*)["'`]?\]?\s*\|\|=?\s*\[\]/g,
  /[.["'`]([^."'`\s=|[\]]+)["'`]?\]?\s*\|\|=?\s*\[\]\)\.push\(\[\[/g,
];
const DEFAULT_CHUNKS = /^(?:webpack|rspack)Chunk/;

/**
 * Reads the files of a remote that browsers load. Limits its stylesheets to the content of the section, as those of the section
 * itself.
 *
 * @throws UsageError if a script uses what the site's policy blocks, contains a package that the remote must share, or finds its
 *   chunks by a name that another remote can have, or if a stylesheet has a syntax error.
 */
export async function readFiles({ folder, shared }: Remote, section: string): Promise<RemoteFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => !OMITTED.test(file))
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const source = path.join(folder, file);
      const contents = await readFile(source);
      if (/\.m?js$/.test(file)) {
        checkScript(source, contents.toString(), Object.keys(shared));
        checkChunks(source, contents.toString(), section);
      }
      return { path: file, contents: file.endsWith(".css") ? limited(source, contents.toString(), section) : contents };
    }),
  );
}

function checkScript(file: string, text: string, shared: readonly string[]): void {
  for (const { text: blocked, problem, expected } of BLOCKED)
    if (blocked.test(text)) throw new UsageError(`${file}: ${problem}; expected ${expected}`);
  for (const [name, mark] of Object.entries(BUNDLED))
    if (!shared.includes(name) && text.includes(mark))
      throw new UsageError(
        `${file} contains ${name}, which the remote does not share; expected shared: { ${JSON.stringify(name)}: ` +
          `{ singleton: true } }, because a page has only the ${name} of the shell`,
      );
}

/** Two remotes with one array of chunks would run each other's modules. */
function checkChunks(file: string, text: string, section: string): void {
  for (const [, name = ""] of CHUNKS.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const isDefault = DEFAULT_CHUNKS.test(name);
    if (isDefault && isOwnName(name.replace(DEFAULT_CHUNKS, ""), section)) continue;
    throw new UsageError(
      `${file}: the chunks of the remote are in the global variable "${name}", where those of another remote can be too; ` +
        `set output.uniqueName: "${prefixOf(section)}" in the remote's webpack or Rspack configuration` +
        (isDefault ? "" : ", and no output.chunkLoadingGlobal"),
    );
  }
}

function limited(file: string, text: string, section: string): Buffer {
  try {
    const plugin = scopedStyles(section, { isModule: false });
    return Buffer.from(postcss([plugin]).process(text, { from: file, map: false }).css);
  } catch (error) {
    throw new UsageError(`${file} is not a stylesheet: ${String(error)}`, { cause: error });
  }
}

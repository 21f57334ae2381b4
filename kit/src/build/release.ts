import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import type { ReleasePictures } from "./pictures.js";

/** A path a page names. */
export interface ReleasePath {
  /** Percent-encoded. */
  readonly path: string;
  /** Whether search engines may list it: its head does not say noindex. */
  readonly indexable: boolean;
}

/** A file of a release. */
export interface ReleaseFile {
  /** Below the release folder, with forward slashes. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly type: string;
  /** `sha384-…`, as in Subresource Integrity. */
  readonly digest: string;
}

/** The contents of `release.json`. Paths of files are below the release folder. */
export interface Release extends ReleasePictures {
  readonly name: string;
  readonly version: string;
  readonly kind: "section" | "shell";
  readonly contract: number;
  /** A section's container script, or the shell's main script. */
  readonly entry: string;
  /** Global name of the container; sections only. */
  readonly container?: string;
  /** The frame's stylesheets, in order; shell only. */
  readonly styles: readonly string[];
  /** What every page and slot needs besides the entry. Scripts of the shell run before its entry, in this order. */
  readonly assets: readonly string[];
  readonly pages: readonly {
    readonly pattern: string;
    readonly assets: readonly string[];
    readonly paths: readonly ReleasePath[];
  }[];
  readonly slots: readonly { readonly name: string; readonly assets: readonly string[] }[];
  /** A section: ranges it needs. The shell: versions it brings. */
  readonly shared: Readonly<Record<string, string>>;
  /** The favicon; shell only. */
  readonly icon?: string;
  /** Modules that pages are rendered with on the server, by the specifiers that import them. */
  readonly modules: Readonly<Record<string, string>>;
  readonly files: readonly ReleaseFile[];
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

/** Lists the files below a release folder, sorted by path, with size, type and digest. */
export async function listFiles(folder: string): Promise<ReleaseFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => file !== "release.json")
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(path.join(folder, file));
      return {
        path: file,
        size: bytes.length,
        type: TYPES[path.extname(file)] ?? "application/octet-stream",
        digest: `sha384-${createHash("sha384").update(bytes).digest("base64")}`,
      };
    }),
  );
}

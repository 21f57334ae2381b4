import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import type { NavigationEntry, SectionConfiguration } from "@colonnade/kit";

import type { FactTypes } from "./settings.js";
import type { ReleaseImages } from "./images.js";
import type { ContentPolicy } from "./policy.js";
import { UsageError } from "./usageError.js";

/** Name of the folder, within a package, that contains its release. */
export const RELEASE_FOLDER = "release";

/** Folder of the source maps in a release. Visitors can read nothing below `server/`. */
export const SOURCE_MAPS = "server/maps";

/** A path returned by a page's `paths()`. */
export interface ReleasePath {
  /** Percent-encoded, with or without a query in its canonical form. */
  readonly path: string;
  /** Whether search engines may index it, i.e. its `robots` tag does not contain `noindex`. */
  readonly indexable: boolean;
}

/** An extension point that a release opens. */
export interface ReleaseExtensionPoint {
  /** Name of the section, or `shell`, a slash, and a name. */
  readonly id: string;
  /** Version of the props, from 1. */
  readonly version: number;
  /** The most extensions that are shown. */
  readonly max: number;
  /** Props to test extensions with: JSON objects. */
  readonly examples: readonly object[];
}

/** What a section contributes to an extension point. */
export interface ReleaseExtension {
  /** The point's ID with its version, such as `directory/city-aside@1`. */
  readonly point: string;
  /** Place among the extensions of the point. */
  readonly order: number;
  /** Its files besides those of the section. */
  readonly assets: readonly string[];
  /** The shared packages, besides those of every shell, that it loads at first. Absent if it loads no such package. */
  readonly shared?: readonly string[];
}

/** A page of a release. */
export interface ReleasePage {
  /** Path pattern. */
  readonly pattern: string;
  /** Files of its first view besides those of the section. */
  readonly assets: readonly string[];
  /** The shared packages, besides those of every shell, that its first view loads. Absent if it loads no such package. */
  readonly shared?: readonly string[];
  /** The paths that it lists. */
  readonly paths: readonly ReleasePath[];
  /** Names of the query parameters that it depends on. Omitted for none. */
  readonly search?: readonly string[];
  /** Whether the server renders only its fallback. Absent means false. */
  readonly browserOnly?: boolean;
  /** The extension points that it opens, each as its ID with its version. Absent if there are none. */
  readonly extensionPoints?: readonly string[];
}

/** A file of a release. */
export interface ReleaseFile {
  /** Relative to the release folder, with forward slashes. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** MIME type. */
  readonly type: string;
  /** Subresource Integrity value, `sha384-…`. */
  readonly digest: string;
}

/** The contents of `release.json`. File paths are relative to the release folder. */
export interface Release extends ReleaseImages {
  /** Name of the section, or `shell`. */
  readonly name: string;
  /** Semantic version. A name has at most one release of each. */
  readonly version: string;
  /** What the gateway takes from the release. */
  readonly kind: "section" | "shell";
  /** Version of the section contract. */
  readonly contract: number;
  /** A section's container script, or the shell's main script. */
  readonly entry: string;
  /** Sections only: global variable of the Module Federation container. */
  readonly container?: string;
  /** Sections only: whether the container reads `_FEDERATION_RUNTIME_CORE` of the shell. Absent means true. */
  readonly needsFederationRuntime?: boolean;
  /** Shell only: stylesheets of the frame, in order. */
  readonly styles: readonly string[];
  /** Files that every page and extension needs besides the entry. The shell's scripts run before its entry, in this order. */
  readonly assets: readonly string[];
  /** Sections only: the pages. */
  readonly pages: readonly ReleasePage[];
  /** The extension points of a section's pages, or of the shell. Absent if there are none. */
  readonly extensionPoints?: readonly ReleaseExtensionPoint[];
  /** Sections only: the extensions. Absent if there are none. */
  readonly extensions?: readonly ReleaseExtension[];
  /** The links that a section adds to the navigation of the site. Absent if it adds none, and in a shell. */
  readonly navigation?: readonly NavigationEntry[];
  /** Sections only: modules that other sections load, each with all that it needs at first besides the entry. */
  readonly exposes?: readonly { readonly name: string; readonly assets: readonly string[] }[];
  /** Shared packages: the version ranges a section needs, or the versions the shell provides. */
  readonly shared: Readonly<Record<string, string>>;
  /** Shell only: the scripts of each shared package that only some pages load. Absent if the shell shares no such package. */
  readonly sharedAssets?: Readonly<Record<string, readonly string[]>>;
  /** Shell only: the exports of shared packages that it omits, as paths with dots. Absent if it omits none. */
  readonly omittedExports?: Readonly<Record<string, readonly string[]>>;
  /**
   * Sections only: the exports that it uses of shared packages besides those of every shell. An empty path is a whole package. Absent if
   * it uses none.
   */
  readonly usedExports?: Readonly<Record<string, readonly string[]>>;
  /** The facts of the site that the package reads, with their types. Absent if it reads none. */
  readonly facts?: FactTypes;
  /** Sections only: the values of its configuration that the section reads, with their types. Absent if it reads none. */
  readonly config?: FactTypes<SectionConfiguration>;
  /** What the documents of the package need in addition to the strict default. Absent if they need nothing. */
  readonly policy?: ContentPolicy;
  /** Shell only: meta tags of every document. */
  readonly meta?: readonly { readonly name: string; readonly content: string }[];
  /** Shell only: the favicon. */
  readonly icon?: string;
  /** Server modules by import specifier. */
  readonly modules: Readonly<Record<string, string>>;
  /** Sections only: the file with examples of pages and extensions. Omitted without examples. */
  readonly examples?: string;
  /** All files, sorted by path. */
  readonly files: readonly ReleaseFile[];
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".avif": "image/avif",
  ".gif": "image/gif",
  ".ico": "image/vnd.microsoft.icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".ttf": "font/ttf",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".map": "application/json",
  ".pdf": "application/pdf",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
};

/** The MIME type of a file, by its name. */
export function typeOf(file: string): string {
  return TYPES[path.extname(file).toLowerCase()] ?? "application/octet-stream";
}

/** The digest of a file, in the format of Subresource Integrity. */
export function digestOf(contents: Buffer | string): string {
  return `sha384-${createHash("sha384").update(contents).digest("base64")}`;
}

/**
 * Lists the files of a release folder, sorted by path, with size, type and digest. Excludes `release.json`, and source maps next to
 * their scripts, which are those of a build for development.
 */
export async function listFiles(folder: string): Promise<ReleaseFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => file !== "release.json" && (!file.endsWith(".map") || file.startsWith(`${SOURCE_MAPS}/`)))
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(path.join(folder, file));
      return {
        path: file,
        size: bytes.length,
        type: typeOf(file),
        digest: digestOf(bytes),
      };
    }),
  );
}

/**
 * Reads `release.json` from a release folder.
 *
 * @throws UsageError if the folder contains no release, or its manifest is not JSON.
 */
export async function readRelease(folder: string): Promise<Release> {
  const file = path.join(folder, "release.json");
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(`${folder} contains no release; run \`colonnade build\` first`);
  });
  try {
    return JSON.parse(text) as Release;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}

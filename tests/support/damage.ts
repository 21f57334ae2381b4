import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import type { Release } from "@colonnade/cli";

import type { Site } from "./site.mjs";

/** A release file in a site's store. */
export interface StoredFile {
  /** URL path of the file. */
  readonly path: string;
  /** Store paths of the file and its compressed variants. */
  readonly copies: readonly string[];
}

/** Restores the original file. */
type Repair = () => Promise<void>;

/** The record of a release in the store. */
interface ReleaseRecord {
  /** The text of `release.json`. */
  readonly manifest: string;
  /** The names of the files' objects, by path in the release. */
  readonly files: Readonly<Record<string, string>>;
}

/** The stored release of a section that has exactly one. */
async function storedRelease(
  site: Site,
  section: string,
): Promise<{ objects: ReleaseRecord["files"]; release: Release }> {
  const releases = path.join(site.store, "releases", section);
  const [record = ""] = await readdir(releases);
  const { manifest, files } = JSON.parse(await readFile(path.join(releases, record), "utf8")) as ReleaseRecord;
  return { objects: files, release: JSON.parse(manifest) as Release };
}

async function stored(
  site: Site,
  section: string,
  wanted: (release: Release) => string | undefined,
): Promise<StoredFile> {
  const { objects, release } = await storedRelease(site, section);
  const file = wanted(release);
  if (file === undefined) throw new Error(`the release of ${section} has no matching file`);
  return {
    path: pathOf(release, file),
    copies: [file, ...[".br", ".gzip", ".zstd"].map((ending) => `compressed/${file}${ending}`)].map((name) =>
      path.join(site.store, "files", objects[name] ?? `${name} is not stored`),
    ),
  };
}

/** The kinds of files that a page or an exposed module needs. */
export const PARTS = ["entry", "script", "stylesheet"] as const;

/** One of `PARTS`. */
export type Part = (typeof PARTS)[number];

function assetsOf({ pages, exposes, assets }: Release, place: string): readonly string[] {
  const page = pages.find(({ pattern }) => pattern === place);
  if (page) return page.assets;
  // These include what all pages need.
  const all = exposes?.find(({ name }) => name === place)?.assets ?? [];
  return all.filter((asset) => !assets.includes(asset));
}

function pathOf({ name, version }: Release, file: string): string {
  return `/assets/${name}/${version}/${file.replace("client/", "")}`;
}

/** Finds a section's entry, or the script or stylesheet of its page pattern or exposed module `place`. */
export function findFile(site: Site, section: string, place: string, part: Part): Promise<StoredFile> {
  return stored(site, section, (release) => {
    const suffix = part === "stylesheet" ? ".css" : ".js";
    return part === "entry" ? release.entry : assetsOf(release, place).findLast((asset) => asset.endsWith(suffix));
  });
}

/** Finds the script that all pages of a section share. */
export function findCommonScript(site: Site, section: string): Promise<StoredFile> {
  return stored(site, section, ({ assets }) => assets.find((asset) => asset.endsWith(".js")));
}

/** Finds a file of any release, including the shell's, by its URL path. */
export function findByPath(site: Site, address: string): Promise<StoredFile> {
  const [section = "", , name = ""] = address.replace("/assets/", "").split("/");
  return stored(site, section, ({ files }) => files.find((file) => file.path === `client/${name}`)?.path);
}

async function backUp(file: StoredFile): Promise<Repair> {
  const originals = await Promise.all(file.copies.map(async (copy) => [copy, await readFile(copy)] as const));
  return async () => {
    await Promise.all(originals.map(([copy, bytes]) => writeFile(copy, bytes)));
  };
}

/** Deletes a file and its compressed variants. */
export async function remove(file: StoredFile): Promise<Repair> {
  const repair = await backUp(file);
  await Promise.all(file.copies.map((copy) => rm(copy)));
  return repair;
}

/** Replaces the contents of a file and its compressed variants. */
export async function replace(file: StoredFile, text: string): Promise<Repair> {
  const repair = await backUp(file);
  await overwrite(file, text);
  return repair;
}

/** Writes other contents to a file, which may be missing, and its compressed variants. */
export async function overwrite(file: StoredFile, text: string): Promise<void> {
  const [plain = "", brotli = "", gzip = "", zstd = ""] = file.copies;
  await Promise.all([
    writeFile(plain, text),
    writeFile(brotli, brotliCompressSync(text)),
    writeFile(gzip, gzipSync(text)),
    // Node cannot write Zstandard yet. Every browser that supports it also supports Brotli, which the gateway prefers.
    rm(zstd, { force: true }),
  ]);
}

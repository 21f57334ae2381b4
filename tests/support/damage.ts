import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import type { Release } from "@colonnade/kit/build";

import type { Site } from "./site.mjs";

/** A file of a release in a site's store, and what the store keeps of it. */
export interface StoredFile {
  /** Its path on the site. */
  readonly path: string;
  /** The file, and its compressed variants. */
  readonly copies: readonly string[];
}

/** Puts back what was damaged. */
export type Repair = () => Promise<void>;

/** What is kept of a section in a site that holds one release of it. */
async function storedRelease(site: Site, section: string): Promise<{ folder: string; release: Release }> {
  const releases = path.join(site.store, "releases", section);
  const [version = ""] = await readdir(releases);
  const folder = path.join(releases, version);
  return { folder, release: JSON.parse(await readFile(path.join(folder, "release.json"), "utf8")) as Release };
}

async function stored(
  site: Site,
  section: string,
  wanted: (release: Release) => string | undefined,
): Promise<StoredFile> {
  const { folder, release } = await storedRelease(site, section);
  const file = wanted(release);
  if (file === undefined) throw new Error(`${section} has no such file`);
  return {
    path: pathOf(release, file),
    copies: ["", ".br", ".gzip", ".zstd"].map((ending) =>
      path.join(folder, ending === "" ? file : `compressed/${file}${ending}`),
    ),
  };
}

/** The files of a section that a page or slot of it needs. */
export const PARTS = ["entry", "script", "stylesheet"] as const;

/** One of them. */
export type Part = (typeof PARTS)[number];

/** The paths on the site of the scripts of one of a section's pages or slots, named by `place`. */
export async function findScripts(site: Site, section: string, place: string): Promise<string[]> {
  const { release } = await storedRelease(site, section);
  return assetsOf(release, place)
    .filter((asset) => asset.endsWith(".js"))
    .map((asset) => pathOf(release, asset));
}

function assetsOf({ pages, slots }: Release, place: string): readonly string[] {
  const found = pages.find(({ pattern }) => pattern === place) ?? slots.find(({ name }) => name === place);
  return found?.assets ?? [];
}

function pathOf({ name, version }: Release, file: string): string {
  return `/assets/${name}/${version}/${file.replace("client/", "")}`;
}

/** Finds a file of a section: its entry, or the script or stylesheet of one of its pages or slots, named by `place`. */
export function findFile(site: Site, section: string, place: string, part: Part): Promise<StoredFile> {
  return stored(site, section, (release) => {
    const suffix = part === "stylesheet" ? ".css" : ".js";
    return part === "entry" ? release.entry : assetsOf(release, place).findLast((asset) => asset.endsWith(suffix));
  });
}

/** Finds the script that all pages of a section have in common. */
export function findCommonScript(site: Site, section: string): Promise<StoredFile> {
  return stored(site, section, ({ assets }) => assets.find((asset) => asset.endsWith(".js")));
}

/** Finds a file of a release, the shell's too, by its address on the site. */
export function findByPath(site: Site, address: string): Promise<StoredFile> {
  const [section = "", , name = ""] = address.replace("/assets/", "").split("/");
  return stored(site, section, ({ files }) => files.find((file) => file.path === `client/${name}`)?.path);
}

async function keep(file: StoredFile): Promise<Repair> {
  const kept = await Promise.all(file.copies.map(async (copy) => [copy, await readFile(copy)] as const));
  return async () => {
    await Promise.all(kept.map(([copy, bytes]) => writeFile(copy, bytes)));
  };
}

/** Takes a file away. */
export async function remove(file: StoredFile): Promise<Repair> {
  const repair = await keep(file);
  await Promise.all(file.copies.map((copy) => rm(copy)));
  return repair;
}

/** Puts another text in a file's place, properly compressed. */
export async function replace(file: StoredFile, text: string): Promise<Repair> {
  const repair = await keep(file);
  const [plain = "", brotli = "", gzip = "", zstd = ""] = file.copies;
  await Promise.all([
    writeFile(plain, text),
    writeFile(brotli, brotliCompressSync(text)),
    writeFile(gzip, gzipSync(text)),
    // Node has no Zstandard yet. No browser that knows it does without Brotli, which the gateway prefers.
    rm(zstd),
  ]);
  return repair;
}

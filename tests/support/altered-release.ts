import { createHash, randomUUID } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { deploy, publish, type AdminAccess, type Published, type Release } from "@colonnade/cli";

import type { Site } from "./site.mjs";

/** Returns the new text of a release file, given its path and its text. */
type Alter = (file: string, text: string, release: Release) => string;

function digestOf(text: string): string {
  return `sha384-${createHash("sha384").update(text).digest("base64")}`;
}

/**
 * Publishes a package's last build under a new version with altered scripts. The release is valid; its code may be
 * faulty.
 */
export async function publishAltered(access: AdminAccess, folder: string, alter: Alter): Promise<Published> {
  const copy = await mkdtemp(path.join(os.tmpdir(), "colonnade-release-"));
  try {
    const target = path.join(copy, "release");
    await cp(path.join(folder, "release"), target, { recursive: true });
    const release = JSON.parse(await readFile(path.join(target, "release.json"), "utf8")) as Release;
    const altered = await alterFiles(target, release, alter);
    await writeFile(path.join(target, "release.json"), JSON.stringify(altered));
    return await publish(copy, access);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Publishes an altered release and deploys it. */
export async function deployAltered(site: Site, folder: string, alter: Alter): Promise<void> {
  const { name, version } = await publishAltered(site.access, folder, alter);
  await deploy({ [name]: version }, undefined, site.access);
}

async function alterFiles(target: string, release: Release, alter: Alter): Promise<Release> {
  const version = `${release.version}.${randomUUID()}`;
  const replaced = new Map<string, string>();
  const files: Release["files"][number][] = [];
  // The entry goes last: it contains the digests of the other scripts.
  const order = release.files.toSorted((a, b) => Number(a.path === release.entry) - Number(b.path === release.entry));
  for (const file of order) {
    if (!file.path.endsWith(".js")) {
      files.push(file);
      continue;
    }
    const before = await readFile(path.join(target, file.path), "utf8");
    let text = alter(file.path, before, release).replaceAll(release.version, version);
    for (const [old, digest] of replaced) text = text.replaceAll(old, digest);
    await writeFile(path.join(target, file.path), text);
    const digest = digestOf(text);
    replaced.set(file.digest, digest);
    files.push({ ...file, size: Buffer.byteLength(text), digest });
  }
  return { ...release, version, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

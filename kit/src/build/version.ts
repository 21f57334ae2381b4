import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import type { SectionConfig } from "./config.js";

// What no build reads. Within a package's sources, a folder may have any of these names.
const SKIPPED = new Set(["node_modules", "release", "release.building", "dist", ".git"]);
const NOTHING: ReadonlySet<string> = new Set();
const TEST_FILE = /\.test\.[a-z]+$/;
const KIT_FOLDER = path.resolve(import.meta.dirname, "../..");

/** Which bytes a build is made for. */
export interface BuildMode {
  /** Give the release the package's own version, for publishing to a shared site. */
  readonly final: boolean;
  /**
   * Bring React's development build, unminified, which says in the console what is wrong with a page. Of the shell alone:
   * a section has no React of its own, and one built for development would not run in a shell that is not.
   */
  readonly development?: boolean;
}

/** A package's version and what names one build of it. */
export interface BuildIdentity {
  /** `1.4.0`, or `1.4.0-dev.<hash of the inputs>` where the build is not final. */
  readonly version: string;
  /** Global name of the Module Federation container: a JavaScript identifier that no other release has. */
  readonly container: string;
}

/** Every file below a folder that a build could read, relative and sorted. */
async function inputsBelow(folder: string, skipped: ReadonlySet<string> = SKIPPED): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = await Promise.all(
    entries.map(async (entry) => {
      if (skipped.has(entry.name)) return [];
      if (entry.isDirectory())
        return (await inputsBelow(path.join(folder, entry.name), NOTHING)).map((file) => path.join(entry.name, file));
      return TEST_FILE.test(entry.name) ? [] : [entry.name];
    }),
  );
  return files.flat().sort();
}

// The nearest lock file says which libraries the build sees.
async function lockFile(folder: string): Promise<Buffer> {
  try {
    return await readFile(path.join(folder, "package-lock.json"));
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? Buffer.alloc(0) : lockFile(parent);
  }
}

async function hashInputs(folder: string, { development }: BuildMode): Promise<string> {
  const hash = createHash("sha256");
  if (development) hash.update("development\0");
  for (const root of [folder, path.join(KIT_FOLDER, "dist"), path.join(KIT_FOLDER, "design")]) {
    for (const file of root === folder ? await inputsBelow(root) : await kitFiles(root)) {
      const bytes = await readFile(path.join(root, file));
      hash.update(`${file}\0${String(bytes.length)}\0`).update(bytes);
    }
  }
  return hash
    .update(await lockFile(folder))
    .digest("hex")
    .slice(0, 12);
}

// The compiled kit, less what tsc keeps for itself, and its stylesheets.
async function kitFiles(folder: string): Promise<string[]> {
  return (await inputsBelow(folder)).filter((file) => /\.(js|css)$/.test(file));
}

/** The version of a development build: that of the package, with the hash of its inputs. */
export function developmentVersion(version: string, hash: string): string {
  // Semantic Versioning 2.0.0, section 9: a numeric identifier has no leading zero.
  return `${version}-dev.${/^0\d+$/.test(hash) ? `x${hash.slice(1)}` : hash}`;
}

/** Works out a build's identity from its inputs, before anything is built. */
export async function identify(folder: string, config: SectionConfig, mode: BuildMode): Promise<BuildIdentity> {
  const { version } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as { version: string };
  const hash = await hashInputs(folder, mode);
  return {
    version: mode.final ? version : developmentVersion(version, hash),
    container: `${config.name.replaceAll("-", "_")}_${hash}`,
  };
}

/** The tools of these tests. Tests whose tool is missing are skipped. */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { ROOT } from "../support/repository.mjs";

export const run = promisify(execFile);

const REQUIREMENTS = path.join(import.meta.dirname, "requirements.txt");

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--help"], { stdio: "ignore" }).error === undefined;
}

/** Installs the packages of `requirements.txt` below `target/`, once. Returns the folder, or undefined without pip or network. */
export async function pythonPackages(): Promise<string | undefined> {
  const version = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = path.join(ROOT, "target", `deploy-tools-${version}`);
  if (existsSync(folder)) return folder;
  // The tests of several workers may install at the same time.
  const own = await mkdtemp(`${folder}-`).catch(() => undefined);
  if (own === undefined) return undefined;
  const options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-compile"];
  try {
    await run("python3", ["-m", "pip", "install", ...options, "--target", own, "--requirement", REQUIREMENTS]);
    await rename(own, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } catch {
    return undefined;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

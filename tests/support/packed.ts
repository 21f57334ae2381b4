import { execFile } from "node:child_process";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import type { AdminAccess } from "@colonnade/cli";
import type { main } from "../../packages/cli/dist/cli/index.js";

import { ROOT } from "./repository.mjs";
import { sectionCommand, type RunSection } from "./section-command";

const run = promisify(execFile);
const CLI = path.join(ROOT, "packages/cli");
// The command's own node_modules has the dependencies whose version differs from the one at the root.
const DEPENDENCIES = [path.join(ROOT, "node_modules"), path.join(CLI, "node_modules")];

/** Unpacks into a folder what npm publishes of a package. */
async function unpack(name: string, folder: string, target: string): Promise<void> {
  // The scripts would rebuild dist/, which other tests run.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, path.join(ROOT, "packages", name)];
  const { stdout } = await run("npm", args);
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  await mkdir(target, { recursive: true });
  await run("tar", ["-xzf", path.join(folder, filename), "-C", target, "--strip-components=1"]);
}

/**
 * Replaces the `node_modules` of a folder by one with the packed kit and command, beside links to their dependencies in this
 * repository. Returns the packed command.
 */
export async function installPacked(folder: string, access: AdminAccess): Promise<RunSection> {
  const modules = path.join(folder, "node_modules");
  await rm(modules);
  const unpacked = (name: string): string => path.join(modules, "@colonnade", name);
  await Promise.all(["kit", "cli"].map((name) => unpack(name, folder, unpacked(name))));
  const links = new Map<string, string>();
  for (const source of DEPENDENCIES)
    for (const name of await readdir(source).catch(() => [])) links.set(name, path.join(source, name));
  links.delete("@colonnade");
  await Promise.all([...links].map(([name, source]) => symlink(source, path.join(modules, name))));
  const command = (await import(pathToFileURL(path.join(unpacked("cli"), "dist/cli/index.js")).href)) as {
    readonly main: typeof main;
  };
  return sectionCommand(access, command.main);
}

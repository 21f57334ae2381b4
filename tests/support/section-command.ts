import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Writable } from "node:stream";
import { promisify } from "node:util";

import type { AdminAccess } from "@colonnade/cli";
import { main } from "../../packages/cli/dist/cli/index.js";

import { ROOT } from "./repository.mjs";

const run = promisify(execFile);

/** The program `colonnade`, for tests that need a process of its own. */
export const COMMAND = path.join(ROOT, "packages/cli/bin/colonnade.js");

/** Runs a command in a folder. Resolves with its output; rejects if it fails. */
export async function runCommand(
  folder: string,
  [program = "", ...args]: readonly string[],
  env = process.env,
): Promise<string> {
  const { stdout } = await run(program, args, { cwd: folder, env });
  return stdout;
}

/** Runs the `colonnade` command in a folder. Resolves with its output; rejects if it fails. */
export type RunSection = (folder: string, ...args: string[]) => Promise<string>;

/** Keeps what is written to it. */
class Output extends Writable {
  text = "";

  override _write(chunk: unknown, _: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

/** The `colonnade` command with this admin access. It runs in this process, which loads the kit only once. */
export function sectionCommand({ url, token }: AdminAccess, command = main): RunSection {
  const environment = { ...process.env, COLONNADE_ADMIN: url, COLONNADE_TOKEN: token };
  return async (folder, ...args) => {
    const [stdout, stderr] = [new Output(), new Output()];
    const code = await command(args, { folder, environment, stdout, stderr });
    if (code !== 0) throw new Error(`colonnade ${args.join(" ")} failed with ${String(code)}: ${stderr.text}`);
    return stdout.text;
  };
}

/** The text files of a section, by their paths. */
export type SectionFiles = Readonly<Record<string, string>>;

/** Writes a section into a folder of its name. Returns that folder. */
export async function writeSection(folder: string, name: string, files: SectionFiles): Promise<string> {
  const section = path.join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(section, file)), { recursive: true });
    await writeFile(path.join(section, file), text);
  }
  return section;
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Creates a Git repository in a folder, unless the folder is within one or Git is not installed. Returns whether it was created. */
export async function createRepository(folder: string): Promise<boolean> {
  const git = (...args: string[]): Promise<boolean> =>
    run("git", args, { cwd: folder }).then(
      () => true,
      () => false,
    );
  return (
    !(await git("rev-parse", "--is-inside-work-tree")) && (await git("init", "--quiet", "--initial-branch", "main"))
  );
}

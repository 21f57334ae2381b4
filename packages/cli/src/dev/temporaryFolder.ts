import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";

// Containers may share the folder, and each has its own process IDs.
const PREFIX = `colonnade-dev-${hostname()}-`;

/** Creates a temporary folder for this process. Deletes those of processes that ended without deleting theirs. */
export async function createTemporaryFolder(): Promise<string> {
  const parent = tmpdir();
  for (const name of await readdir(parent)) {
    const [, owner] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (owner !== undefined && !isRunning(Number(owner)))
      await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(path.join(parent, `${PREFIX}${String(process.pid)}-`));
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // The process of another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

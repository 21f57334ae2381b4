// What `colonnade login` keeps: one entry for each gateway, in a file that only its owner can read.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

/** The tokens of a person at an identity provider. */
export interface Credentials {
  /** The issuer of the ID token. */
  readonly issuer: string;
  /** The client that the tokens are for. */
  readonly clientId: string;
  readonly idToken: string;
  /** Gets the next ID token. Without it, the person signs in again when the ID token has expired. */
  readonly refreshToken?: string | undefined;
}

const LOCK_POLL_MS = 50;
const LOCK_RENEWAL_MS = 1000;
// A command that was killed leaves its lock.
const LOCK_STALE_MS = 10_000;

type Entries = Readonly<Record<string, Credentials | undefined>>;

// An empty or relative path counts as none (XDG Base Directory Specification): it would name a folder of the project.
function fileOf({ XDG_CONFIG_HOME: config = "", HOME: home = "" }: NodeJS.ProcessEnv): string {
  const folder = path.isAbsolute(config)
    ? config
    : path.join(path.isAbsolute(home) ? home : userInfo().homedir, ".config");
  return path.join(folder, "colonnade/credentials.json");
}

function readEntries(environment: NodeJS.ProcessEnv): Entries {
  try {
    return JSON.parse(readFileSync(fileOf(environment), "utf8")) as Entries;
  } catch {
    // Missing, or damaged: signing in again replaces it.
    return {};
  }
}

/** Creates the lock file. Returns whether it did: another command may hold the lock. */
function tryLock(lock: string): boolean {
  try {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > LOCK_STALE_MS) rmSync(lock, { force: true });
    writeFileSync(lock, "", { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Runs a function that reads and writes credentials while no other command does. A provider may accept a refresh token
 * only once, and end the session if a command sends it again.
 */
export async function lockCredentials<Result>(
  environment: NodeJS.ProcessEnv,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = `${fileOf(environment)}.lock`;
  mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  while (!tryLock(lock)) await setTimeout(LOCK_POLL_MS);
  const renewal = setInterval(() => {
    const now = new Date();
    // Fails if the lock was taken over while this process was suspended.
    utimes(lock, now, now).catch(() => undefined);
  }, LOCK_RENEWAL_MS);
  try {
    return await run();
  } finally {
    clearInterval(renewal);
    rmSync(lock, { force: true });
  }
}

/** The credentials for the gateway with this admin URL. */
export function readCredentials(environment: NodeJS.ProcessEnv, url: string): Credentials | undefined {
  return readEntries(environment)[url];
}

/** Keeps the credentials for a gateway, or removes them. The caller holds the lock. */
export function writeCredentials(environment: NodeJS.ProcessEnv, url: string, credentials?: Credentials): void {
  const file = fileOf(environment);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  const entries = { ...readEntries(environment), [url]: credentials };
  writeFileSync(temporary, `${JSON.stringify(entries, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

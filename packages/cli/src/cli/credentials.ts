// What `colonnade login` keeps: one entry for each gateway, in a file that only its owner can read.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";

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

/** The credentials for the gateway with this admin URL. */
export function readCredentials(environment: NodeJS.ProcessEnv, url: string): Credentials | undefined {
  return readEntries(environment)[url];
}

/** Keeps the credentials for a gateway, or removes them. */
export function writeCredentials(environment: NodeJS.ProcessEnv, url: string, credentials?: Credentials): void {
  const file = fileOf(environment);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  const entries = { ...readEntries(environment), [url]: credentials };
  writeFileSync(temporary, `${JSON.stringify(entries, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { InvalidArgumentError } from "@commander-js/extra-typings";

import { EMPTY_CELL } from "./table.js";

/** Where a release comes from. The gateway keeps it with the release. */
export interface ReleaseSource {
  /** The commit: up to 64 letters, digits, `.`, `_` and `-`. */
  readonly commit?: string | undefined;
  /** The https URL of the commit, or of the job that built it. */
  readonly url?: string | undefined;
  /** Who made the commit, or started the job. */
  readonly author?: string | undefined;
}

/** Enough to find a commit. */
const COMMIT_CHARACTERS = 12;

const run = promisify(execFile);

/** The commit of a source, to show it; `-` if it is not known. */
export function shortCommit(source: ReleaseSource | undefined): string {
  return source?.commit?.slice(0, COMMIT_CHARACTERS) ?? EMPTY_CELL;
}

/** Reads the source from the variables that GitHub Actions and GitLab CI set, and otherwise the commit from Git. */
export async function currentSource(folder: string, environment: NodeJS.ProcessEnv): Promise<ReleaseSource> {
  const { GITHUB_SHA, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_ACTOR } = environment;
  if (GITHUB_SHA)
    return {
      commit: GITHUB_SHA,
      url: httpsUrl(`${GITHUB_SERVER_URL ?? ""}/${GITHUB_REPOSITORY ?? ""}/actions/runs/${GITHUB_RUN_ID ?? ""}`),
      author: GITHUB_ACTOR,
    };
  const { CI_COMMIT_SHA, CI_JOB_URL, GITLAB_USER_LOGIN } = environment;
  if (CI_COMMIT_SHA) return { commit: CI_COMMIT_SHA, url: httpsUrl(CI_JOB_URL), author: GITLAB_USER_LOGIN };
  return { commit: await gitCommit(folder) };
}

/** Parses the URL of a source. */
export function parseSourceUrl(value: string): string {
  const url = httpsUrl(value);
  if (url === undefined) throw new InvalidArgumentError("Expected a URL with https and without credentials.");
  return url;
}

/** Writes a source as the value of a header, in ASCII. Undefined without one. */
export function sourceHeader(source: ReleaseSource): string | undefined {
  const json = JSON.stringify(source).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return json === "{}" ? undefined : json;
}

// A server without https, such as a GitLab of one company, has no link.
function httpsUrl(text = ""): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  return protocol === "https:" && `${username}${password}` === "" ? href : undefined;
}

/** The commit of the folder, with `-dirty` if files differ from it; undefined outside of a repository. */
function gitCommit(folder: string): Promise<string | undefined> {
  return run("git", ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], { cwd: folder }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

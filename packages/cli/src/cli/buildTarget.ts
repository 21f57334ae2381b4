import type { Writable } from "node:stream";

import { keepTarget, lastSeenTarget, parseTarget, type BuildTarget } from "../build/buildTarget.js";
import type { SectionConfig } from "../build/config.js";
import { UsageError } from "../build/usageError.js";
import { callAdmin, optionalAccess } from "./api.js";
import { printable } from "./printable.js";

/** Where the build target of a section is read. */
interface TargetSource {
  /** The section. A shell has no limits. */
  readonly config: Pick<SectionConfig, "name" | "kind">;
  /** Origin of a site. */
  readonly site?: string | undefined;
  /** Has the admin listener of a site without `site`, in `COLONNADE_ADMIN` and `COLONNADE_TOKEN`. */
  readonly environment: NodeJS.ProcessEnv;
  /** Gets a warning if the admin listener cannot say it, or if it is not known. */
  readonly stderr: Pick<Writable, "write">;
}

const NO_TARGET =
  "no site is known, so the limits are the defaults, and the section bundles its own copies of the packages that a site shares; " +
  "pass --site with the URL of the site, or set COLONNADE_ADMIN and COLONNADE_TOKEN";
const LAST_ASKED = "when last asked (--site asks again)";
// In milliseconds, for a site that the command does not name.
const TIMEOUT = 2000;

/**
 * Reads the build target of a section from a site, and saves it in the section's folder. Without a site, asks the last one. If it
 * or the admin listener cannot say it, returns the saved one; undefined without one.
 *
 * @throws UsageError if `site` responds without a build target, and GatewayError if it does not respond.
 */
export async function readBuildTarget(folder: string, source: TargetSource): Promise<BuildTarget | undefined> {
  const last = await lastSeenTarget(folder);
  const target = await request(source, last?.source).catch(async (error: unknown) => {
    if (source.site !== undefined) throw error;
    // The last one may have been an admin listener, or be out of reach: the limits say how old they are.
    const hasAccess = await optionalAccess(source.environment).catch(() => true);
    if (!hasAccess) return undefined;
    const limits = last ? `those that ${last.source} had ${LAST_ASKED}` : "the defaults";
    const reason = printable((error as Error).message.replace(/\.$/, ""));
    source.stderr.write(`warning: ${reason}; the limits are ${limits}\n`);
    return undefined;
  });
  if (target) {
    await keepTarget(folder, target);
    return target;
  }
  const saved = await savedTarget(folder);
  if (!saved && source.config.kind !== "shell") source.stderr.write(`warning: ${NO_TARGET}\n`);
  return saved;
}

/** Returns the build target that was saved in a section's folder. Its source says that it may be old. Undefined without one. */
export async function savedTarget(folder: string): Promise<BuildTarget | undefined> {
  const last = await lastSeenTarget(folder);
  return last && { ...last, source: `${last.source} ${LAST_ASKED}` };
}

async function request(
  { config: { name }, site, environment }: TargetSource,
  last: string | undefined,
): Promise<BuildTarget | undefined> {
  const access = site === undefined ? await optionalAccess(environment) : undefined;
  if (access) {
    const { body } = await callAdmin(access, "GET", `/api/v1/sections/${name}/build-target`);
    return parseTarget(JSON.stringify(body), access.url);
  }
  const asked = site ?? last;
  if (asked === undefined) return undefined;
  const { get } = await import("../dev/live.js");
  const url = new URL(`/_build-target/${name}`, asked);
  const { status, chunks } = await get(url, site === undefined ? AbortSignal.timeout(TIMEOUT) : undefined);
  const target = status === 200 ? parseTarget(Buffer.concat(chunks).toString(), asked) : undefined;
  if (target) return target;
  throw new UsageError(
    `${url.href} responds with status ${String(status)} and no build target; expected the URL of a Colonnade site`,
  );
}

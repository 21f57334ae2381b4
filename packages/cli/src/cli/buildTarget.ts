import type { Writable } from "node:stream";

import { keepTarget, lastSeenTarget, parseTarget, type BuildTarget } from "../build/buildTarget.js";
import { UsageError } from "../build/usageError.js";
import { callAdmin, optionalAccess } from "./api.js";
import { printable } from "./printable.js";

/** Where the build target of a section is read. */
interface TargetSource {
  /** Name of the section. */
  readonly name: string;
  /** Origin of a site. */
  readonly site?: string | undefined;
  /** Has the admin listener of a site without `site`, in `COLONNADE_ADMIN` and `COLONNADE_TOKEN`. */
  readonly environment: NodeJS.ProcessEnv;
  /** Gets a warning if the admin listener cannot say it. */
  readonly stderr: Pick<Writable, "write">;
}

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
  if (!target) return savedTarget(folder);
  await keepTarget(folder, target);
  return target;
}

/** Returns the build target that was saved in a section's folder. Its source says that it may be old. Undefined without one. */
export async function savedTarget(folder: string): Promise<BuildTarget | undefined> {
  const last = await lastSeenTarget(folder);
  return last && { ...last, source: `${last.source} ${LAST_ASKED}` };
}

async function request(
  { name, site, environment }: TargetSource,
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

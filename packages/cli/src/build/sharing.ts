import { rm } from "node:fs/promises";
import path from "node:path";

import type { Compilation } from "webpack";

import { consumedRanges, externalPackages, usedExports } from "./assets.js";
import type { BuildContext } from "./context.js";

/** The compilations of a section. */
interface Compiled {
  readonly client: Compilation;
  readonly server?: Compilation;
}

/** The first export of each package that a section bundles because the site omits it. */
export interface Lacking {
  readonly lacking: Readonly<Record<string, string>>;
}

/**
 * Compiles a section with packages of the site. If it uses exports of some that the site omits, compiles it again with copies of
 * these, and so if only its server module needs one.
 */
export async function compileWithSite<Result extends Compiled>(
  context: BuildContext,
  compile: (context: BuildContext) => Promise<Result>,
): Promise<Result & Lacking> {
  const ranges = context.siteRanges ?? {};
  const compiled = await compile(context);
  const lacking = lackingIn(context, compiled);
  const taken = consumedRanges(compiled.client, ranges);
  const ofServer = compiled.server ? externalPackages(compiled.server) : [];
  const bundled = new Set([...Object.keys(lacking), ...ofServer.filter((name) => !Object.hasOwn(taken, name))]);
  const siteRanges = Object.fromEntries(Object.entries(ranges).filter(([name]) => !bundled.has(name)));
  if (Object.keys(siteRanges).length === Object.keys(ranges).length) return { ...compiled, lacking };
  await rm(path.join(context.output, "client"), { recursive: true });
  return { ...(await compile({ ...context, siteRanges })), lacking };
}

function lackingIn({ siteRanges, buildTarget }: BuildContext, { client }: Compiled): Record<string, string> {
  const used = usedExports(client, Object.keys(consumedRanges(client, siteRanges)));
  const found = Object.entries(used).flatMap(([name, paths]) => {
    const omitted = buildTarget?.omittedExports?.[name] ?? [];
    const lacking = paths.find((one) => omitted.some((other) => contains(one, other) || contains(other, one)));
    return lacking === undefined ? [] : [[name, lacking] as const];
  });
  return Object.fromEntries(found);
}

/** Whether a path of exports is another one, or a namespace that contains it. The gateway has the same rule. */
function contains(whole: string, part: string): boolean {
  return whole === "" || part === whole || part.startsWith(`${whole}.`);
}

import type { Compilation } from "webpack";

import { consumedRanges } from "../build/assets.js";
import type { ClientFiles } from "../build/clientFiles.js";
import { compile } from "../build/compile.js";
import type { BuildContext } from "../build/context.js";
import { withParser, type SharedVersions, type SiteRanges } from "../build/shared.js";
import type { Lacking } from "../build/sharing.js";
import { inTemporaryFolder } from "../build/temporaryFolder.js";
import { clientConfiguration } from "../build/webpack.js";
import { kib, transferSizes } from "./budget.js";
import { problemOf, type Problem } from "./problem.js";

/** What a section saves by packages of the site. */
export interface Sharing {
  /** The packages that it takes from the shell. */
  readonly packages: readonly string[];
  /** The bytes of scripts that it would have more with copies of its own, compressed with Brotli. */
  readonly savedBytes: number;
}

/** Measures what sharing saves. The problems say what it could save of packages that the section bundles although the site shares them. */
export async function findSharing(
  context: BuildContext,
  { accepted, refused }: SiteRanges,
  { compilation, lacking = {} }: Pick<ClientFiles, "compilation"> & Partial<Lacking>,
): Promise<{ readonly sharing?: Sharing | undefined; readonly problems: readonly Problem[] }> {
  if (!compilation) return { problems: [] };
  const { shared = {}, source = "the site" } = context.buildTarget ?? {};
  const taken = consumedRanges(compilation, accepted);
  const packages = Object.keys(taken);
  const bytes = await scriptBytes(compilation, context.output);
  const problems: Problem[] = [];
  for (const [name, range] of Object.entries({ ...refused, ...lacking })) {
    const isRefused = Object.hasOwn(refused, name);
    const wanted = { ...taken, [name]: isRefused ? range : (accepted[name] ?? "") };
    const possible = await bytesWith(context, wanted);
    // Undefined if no code imports the package.
    if (possible === undefined) continue;
    const reason = isRefused
      ? `${name} ${String(shared[name])} of ${source} is not in the range ${range} of package.json`
      : `the section uses ${range === "" ? "all exports" : `the export ${range}`} of ${name}, which ${source} does not share`;
    const message = `${reason}, so the section bundles its own: sharing would save ${savedScripts(bytes - possible)}`;
    problems.push(problemOf("COL141", message, "package.json"));
  }
  const own = packages.length > 0 ? await bytesWith(context, {}) : undefined;
  return { sharing: own === undefined ? undefined : { packages, savedBytes: own - bytes }, problems };
}

/** What sharing saves, for people. The site's copy may have exports that the section does not use. */
export function describeSharing({ packages, savedBytes }: Sharing, source: string): string {
  return (
    `the section's files are ${savedScripts(savedBytes)} smaller, because ${source} shares ${packages.join(", ")}: visitors load its ` +
    "copy of each once, for all sections"
  );
}

/** The bytes of all scripts of a section that takes these packages from the shell; undefined if it does not import all of them. */
function bytesWith(context: BuildContext, siteRanges: SharedVersions): Promise<number | undefined> {
  return inTemporaryFolder(async (output) => {
    const ranges = withParser(siteRanges, context.installed);
    const client = await compile(clientConfiguration({ ...context, output, siteRanges: ranges }), context);
    const isComplete = Object.keys(consumedRanges(client, siteRanges)).length === Object.keys(siteRanges).length;
    return isComplete ? scriptBytes(client, output) : undefined;
  });
}

async function scriptBytes({ assets }: Compilation, output: string): Promise<number> {
  const scripts = Object.keys(assets).filter((file) => file.endsWith(".js"));
  const sizeOf = transferSizes(output);
  const sizes = await Promise.all(scripts.map((file) => sizeOf(`client/${file}`)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function savedScripts(bytes: number): string {
  return `${kib(Math.max(bytes, 0))} of scripts (Brotli)`;
}

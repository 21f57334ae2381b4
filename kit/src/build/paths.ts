import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";

import { isNotFound } from "../notFound.js";
import { matchPath } from "../paths.js";
import { CONTRACT, type PageModule, type Section, type SlotModule } from "../section.js";
import type { SiteFacts } from "../site.js";
import { UsageError, type SectionConfig } from "./config.js";
import { patternProblem } from "./pattern.js";
import type { ReleasePath } from "./release.js";

// Facts of no site: a release holds nothing of them, for it must serve under any configuration.
const NO_SITE: SiteFacts = {
  brand: "Site",
  origin: "https://site.invalid",
  contact: "contact@site.invalid",
  legalEntity: "Entity",
  processingCountry: "Country",
  retention: "retention",
  governingLaw: "Law",
  logsAddresses: false,
  navigation: { menu: [], footer: [] },
  signup: { page: "/signup", success: "/success", host: null, redirectHosts: [] },
  partner: null,
  today: "2000-01-01",
};

/**
 * Runs a section's server module, as the gateway would, and asks each page for its paths. Whatever throws
 * while the section's modules load, throws here: a section whose own data breaks its rules is not built.
 *
 * @throws UsageError naming the page and what it did against the contract.
 */
export async function namePaths(serverModule: string, config: SectionConfig): Promise<Map<string, ReleasePath[]>> {
  const section = await loadSection(serverModule);
  // The types say 1; another kit could have said something else.
  const contract: number = section.contract;
  if (contract !== CONTRACT)
    throw new UsageError(`the section says contract ${String(contract)}; this kit builds contract ${String(CONTRACT)}`);
  if (section.name !== config.name)
    throw new UsageError(`defineSection says the name "${section.name}", section.config.js says "${config.name}"`);
  const named = new Map<string, ReleasePath[]>();
  for (const [pattern, load] of Object.entries(section.pages)) {
    const problem = patternProblem(pattern);
    if (problem) throw new UsageError(`the pattern "${pattern}" cannot be: ${problem}`);
    const { page } = (await load()) as Partial<PageModule>;
    if (!page) throw new UsageError(`the module of the page "${pattern}" exports no "page"`);
    const paths: ReleasePath[] = [];
    for (const path of page.paths?.() ?? []) {
      const params = matchPath(pattern, path);
      if (!params)
        throw new UsageError(`paths() of the page "${pattern}" names ${path}, which its pattern does not match`);
      const data = await page.data({ params, site: NO_SITE });
      if (isNotFound(data))
        throw new UsageError(
          `paths() of the page "${pattern}" names ${path}, of which its data says "${data.heading}"`,
        );
      if (!survivesJson(data))
        throw new UsageError(`the data of ${path} does not survive JSON; a page's data is serialisable`);
      const { robots = "" } = page.head({ data: data as never, site: NO_SITE });
      paths.push({ path, indexable: !robots.includes("noindex") });
    }
    named.set(pattern, paths);
  }
  for (const [name, load] of Object.entries(section.slots ?? {})) {
    const { slot } = (await load()) as Partial<SlotModule>;
    if (!slot) throw new UsageError(`the module of the slot "${name}" exports no "slot"`);
  }
  return named;
}

async function loadSection(serverModule: string): Promise<Section> {
  const url = pathToFileURL(serverModule);
  // A module is loaded once by its address; another build leaves another module at the same one.
  url.search = createHash("sha256")
    .update(await readFile(serverModule))
    .digest("hex");
  return ((await import(url.href)) as { default: Section }).default;
}

function survivesJson(data: unknown): boolean {
  if (data === undefined) return true;
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(data)), data);
  } catch {
    // A cycle, a bigint, or nothing that JSON has a word for.
    return false;
  }
}

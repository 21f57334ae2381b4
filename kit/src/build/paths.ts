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

// Placeholder facts. The release contains none of them, because it must work with any configuration.
const PLACEHOLDER_SITE: SiteFacts = {
  brand: "Site",
  origin: "https://site.invalid",
  contact: "contact@site.invalid",
  legalEntity: "Entity",
  processingCountry: "Country",
  retention: "retention",
  governingLaw: "Law",
  logsClientIp: false,
  navigation: { menu: [], footer: [] },
  signup: { page: "/signup", success: "/success", host: null, redirectHosts: [] },
  partner: null,
  today: "2000-01-01",
};

/**
 * Runs a section's server module and returns the paths of each page, by pattern. Calls `data` and `head` for each path.
 * Errors thrown by the section's own code propagate, so invalid data fails the build.
 *
 * @throws UsageError if the section violates the contract. The message names the page.
 */
export async function collectPaths(serverModule: string, config: SectionConfig): Promise<Map<string, ReleasePath[]>> {
  const section = await loadSection(serverModule);
  // The type is the literal 1, but the section may have been written for another kit.
  const contract: number = section.contract;
  if (contract !== CONTRACT)
    throw new UsageError(
      `the section has contract ${String(contract)}; this kit supports contract ${String(CONTRACT)}`,
    );
  if (section.name !== config.name)
    throw new UsageError(
      `the name is "${section.name}" in defineSection, but "${config.name}" in section.config.js; use the same name`,
    );
  const pathsByPattern = new Map<string, ReleasePath[]>();
  for (const [pattern, load] of Object.entries(section.pages)) {
    const problem = patternProblem(pattern);
    if (problem) throw new UsageError(`the pattern "${pattern}" is invalid: ${problem}`);
    const { page } = (await load()) as Partial<PageModule>;
    if (!page)
      throw new UsageError(
        `the module of the page "${pattern}" does not export "page"; expected export const page = definePage({ … })`,
      );
    const paths: ReleasePath[] = [];
    for (const path of page.paths?.() ?? []) {
      const params = matchPath(pattern, path);
      if (!params)
        throw new UsageError(`paths() of the page "${pattern}" returns ${path}, which does not match the pattern`);
      const data = await page.data({ params, site: PLACEHOLDER_SITE });
      if (isNotFound(data))
        throw new UsageError(
          `paths() of the page "${pattern}" returns ${path}, but its data() is notFound("${data.heading}")`,
        );
      if (!isJsonSerializable(data))
        throw new UsageError(
          `the data of ${path} is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects`,
        );
      const { robots = "" } = page.head({ data: data as never, site: PLACEHOLDER_SITE });
      paths.push({ path, indexable: !robots.includes("noindex") });
    }
    pathsByPattern.set(pattern, paths);
  }
  for (const [name, load] of Object.entries(section.slots ?? {})) {
    const { slot } = (await load()) as Partial<SlotModule>;
    if (!slot)
      throw new UsageError(
        `the module of the slot "${name}" does not export "slot"; expected export const slot = defineSlot({ … })`,
      );
  }
  return pathsByPattern;
}

async function loadSection(serverModule: string): Promise<Section> {
  const url = pathToFileURL(serverModule);
  // Node caches modules by URL. The digest distinguishes builds at the same path.
  url.search = createHash("sha256")
    .update(await readFile(serverModule))
    .digest("hex");
  return ((await import(url.href)) as { default: Section }).default;
}

function isJsonSerializable(data: unknown): boolean {
  if (data === undefined) return true;
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(data)), data);
  } catch {
    // Cyclic data, a bigint, or a value that JSON.stringify omits.
    return false;
  }
}

// Usual packages, each used in a page: rendered by the gateway, hydrated and operated, with the least policy that it needs.
import { cp, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import type { BrowserContext } from "@playwright/test";
import type { ContentPolicy } from "@colonnade/cli";

import { pageOf, PAGE } from "../compatibility/page";
import { EMPTY_STYLE, ENTRIES, expectedOf, type Entry, type Found } from "../compatibility/table";
import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { sectionCommand, writeSection } from "../support/section-command";
import type { Site } from "../support/site.mjs";

const SOURCES = path.join(import.meta.dirname, "../compatibility");
const NAME = "compatibility";
const BUDGET = { scriptKib: 1_000, styleKib: 200 };

// In milliseconds. What should work has long, on a busy machine; the table does not depend on how soon the rest fails.
const WORKS_WITHIN = 60_000;
const FAILS_WITHIN = 5_000;

/** From the strictest. */
const POLICIES: readonly ContentPolicy[] = [
  {},
  { styleAttributes: true },
  { styleElements: [EMPTY_STYLE] },
  { styleElements: true },
  { styleAttributes: true, styleElements: true },
  { trustedTypes: "report" },
  { styleElements: true, trustedTypes: "report" },
  { styleAttributes: true, styleElements: true, trustedTypes: "report" },
];

/** A short run has the strict policy, and those that its entries need. */
function policiesOf(entries: readonly Entry[], isSoak: boolean): readonly ContentPolicy[] {
  const needed = new Set([{}, ...entries.map(({ policy = {} }) => policy)].map((policy) => JSON.stringify(policy)));
  return isSoak ? POLICIES : POLICIES.filter((policy) => needed.has(JSON.stringify(policy)));
}

const inSnakeCase = (policy: ContentPolicy): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(policy).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

const configOf = (policy: ContentPolicy) => ({
  policy: { sections: { [NAME]: inSnakeCase(policy) } },
  budget: { sections: { [NAME]: { page_script_kib: BUDGET.scriptKib, page_style_kib: BUDGET.styleKib } } },
});

/** The page of an entry. Without server rendering, its component loads after hydration, as the guide shows. */
function wrapperOf({ id, name, html }: Entry): string {
  const isLazy = html === undefined;
  return `
import { definePage, useHydrated } from "@colonnade/kit";
import { lazy, Suspense } from "react";
${isLazy ? `const Example = lazy(() => import("./pages/${id}"));` : `import Example from "./pages/${id}";`}
const Component = () => (
  <>
    <h1>${name}</h1>
    ${isLazy ? "{useHydrated() && <Suspense fallback={<p>Loading…</p>}><Example /></Suspense>}" : "<Example />"}
  </>
);
export const page = definePage({
  data: () => null,
  head: () => ({ title: "${name}", description: "${name}", canonical: "/${NAME}/${id}" }),
  Component,
});
`;
}

/** With the plugin of vanilla-extract, which the short run does not build. */
const configFile = (isSoak: boolean): string => `
${isSoak ? 'import { VanillaExtractPlugin } from "@vanilla-extract/webpack-plugin";' : ""}
export default {
  name: "${NAME}",
  entry: "./src/section.js",
  policy: ${JSON.stringify(POLICIES.at(-1))},
  budget: ${JSON.stringify(BUDGET)},
  ${isSoak ? "webpack(configuration) { configuration.plugins.push(new VanillaExtractPlugin()); return configuration; }," : ""}
};`;

async function writeExample(folder: string, entries: readonly Entry[], isSoak: boolean): Promise<string> {
  const pages = entries.map(({ id }) => `"/${NAME}/${id}": () => import("./${id}"),`);
  const written = await writeSection(folder, NAME, {
    "package.json": JSON.stringify({ name: NAME, version: "1.0.0", private: true, type: "module" }),
    "section.config.js": configFile(isSoak),
    ...(isSoak && { "postcss.config.js": 'export default { plugins: { "@tailwindcss/postcss": {} } };' }),
    "src/section.js": `
import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "${NAME}", contract: 1, pages: { ${pages.join("\n")} } });`,
    ...Object.fromEntries(entries.map((entry) => [`src/${entry.id}.jsx`, wrapperOf(entry)])),
  });
  await cp(path.join(SOURCES, "pages"), path.join(written, "src/pages"), { recursive: true });
  return written;
}

/** What a visit found. */
interface Visit {
  /** Why the operation failed. */
  readonly failure?: string;
  /** What the browser reported: errors, and what the policy blocked. */
  readonly reports: readonly string[];
}

/** Whether the table says that an entry works under a policy, maybe with reports. */
const isExpectedToWork = ({ policy: own = {}, worksWithReports }: Entry, policy: ContentPolicy): boolean =>
  isDeepStrictEqual(policy, own) || (policy === POLICIES[0] && worksWithReports === true);

/** Visits an entry's page, and operates it, for at most a time in milliseconds. */
async function visit(context: BrowserContext, url: string, entry: Entry, time: number): Promise<Visit> {
  const { id, html, operate } = entry;
  const page = await context.newPage();
  page.setDefaultTimeout(WORKS_WITHIN);
  const reports: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") reports.push(message.text());
  });
  page.on("pageerror", ({ message }) => reports.push(message));
  try {
    const response = await page.goto(`${url}/${NAME}/${id}`);
    if (html !== undefined) expect(await response?.text()).toContain(html);
    await waitForHydration(page);
    // Closing the page ends an operation that takes longer.
    const operation = operate(page).then(() => true);
    if (!(await Promise.race([operation, setTimeout(time, false, { ref: false })])))
      return { failure: "the operation takes too long", reports };
    // For what the page reports late.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 })));
    return { reports };
  } catch (error) {
    return { failure: (error as Error).message, reports };
  } finally {
    await page.close();
  }
}

/**
 * Finds the strictest policy under which an entry works. Its `policy` is undefined if it works under no policy. A short run tries only
 * those with which it should work.
 */
async function strictestPolicy(
  context: BrowserContext,
  sites: ReadonlyMap<ContentPolicy, Site>,
  entry: Entry,
  isSoak: boolean,
): Promise<Found> {
  let worksWithReports = false;
  for (const [policy, { url }] of sites) {
    const isExpected = isExpectedToWork(entry, policy);
    if (!isExpected && !isSoak) continue;
    const { failure, reports } = await visit(context, url, entry, isExpected ? WORKS_WITHIN : FAILS_WITHIN);
    if (failure === undefined && reports.length === 0) return { entry, policy, worksWithReports };
    if (policy === POLICIES[0]) worksWithReports = failure === undefined;
  }
  return { entry, policy: undefined, worksWithReports };
}

test("Usual packages work with the policy that the table names", async ({ context, startOwnSite, folder }) => {
  const isSoak = Boolean(process.env.SOAK);
  if (isSoak) test.setTimeout(3_600_000);
  const entries = isSoak ? ENTRIES : ENTRIES.filter(({ inShortRun }) => inShortRun);
  const written = await writeExample(folder, entries, isSoak);
  if (isSoak) await symlink(path.join(SOURCES, "node_modules"), path.join(written, "node_modules"));
  const base = await startOwnSite({ config: configOf(POLICIES.at(-1) ?? {}) });
  const section = sectionCommand(base.access);
  for (const command of ["build", "publish", "deploy"]) await section(written, command);
  // Each has the deployment, whatever its policy permits.
  const starting = policiesOf(entries, isSoak).map(
    async (policy) => [policy, await startOwnSite({ base, config: configOf(policy) })] as const,
  );
  const sites = new Map(await Promise.all(starting));
  const found: Found[] = [];
  for (const entry of entries) found.push(await strictestPolicy(context, sites, entry, isSoak));
  expect(found).toEqual(entries.map(expectedOf));
  if (isSoak) await writeFile(PAGE, await pageOf(found));
});

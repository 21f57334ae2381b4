import path from "node:path";

import type { Boot } from "@colonnade/kit/shell";
import type { Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { publishAltered } from "../support/altered-release";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { openPage } from "../support/signup";
import { expect, test, type Operator } from "./operator";
import { recordDocuments, recordFallbacks } from "./stub-responses";

const LEGAL = path.join(ROOT, "mfe-legal");
const ORIGINAL = "Terms of use";
const ALTERED = "Terms of another release";
// A tab of a collected deployment gets 410 for page data, and for the remotes that it reads when it is idle.
const COLLECTED = ["/_page/", "/_remotes/"];
// Only the live deployment is retained.
const RETAIN_LIVE_ONLY = { store: { retain_deployments: 1, retain_hours: 0, retain_releases: 0 } };

async function deployAlteredTerms(operator: Operator): Promise<void> {
  const { name, version } = await publishAltered(operator.access, LEGAL, (_, text) =>
    text.replaceAll(ORIGINAL, ALTERED),
  );
  await operator.deploy({ [name]: version });
}

async function deploymentOf(page: Page): Promise<number> {
  return Number((JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot).deployment);
}

test("A tab keeps its deployment until garbage collection", async ({ page, context, operate, browserErrors }) => {
  const { own, operator } = await operate(RETAIN_LIVE_ONLY);
  const fallbacks = await recordFallbacks(page);
  const documents = recordDocuments(page);
  await openPage(page, `${own.url}/`);
  const first = await deploymentOf(page);

  await deployAlteredTerms(operator);
  const visitor = await context.newPage();
  await visitor.goto(`${own.url}/terms`);
  await expectScreen(visitor, ALTERED);
  await follow(page, "/terms");
  await expectScreen(page, ORIGINAL);

  const { number: live } = await operator.rollback({ section: "legal" });
  await follow(page, "/state/California");
  await expectScreen(page, "Escorts in California");
  expect(await deploymentOf(page)).toBe(first);
  expect(documents).toEqual(["/"]);

  expect((await operator.collect()).deployments).toContain(first);
  // Loaded pages still work. Other pages lead to a new document.
  await follow(page, "/terms");
  await expectScreen(page, ORIGINAL);
  expect(documents).toEqual(["/"]);
  await follow(page, "/about-escort-babylon");
  await expectScreen(page, "Guides");
  await expect.poll(() => deploymentOf(page)).toBe(live);
  for (const [to, heading] of [
    ["/state/Oklahoma", "Escorts in Oklahoma"],
    ["/privacy", "Privacy policy"],
  ] as const) {
    await follow(page, to);
    await expectScreen(page, heading);
  }
  expect(documents).toEqual(["/", "/about-escort-babylon"]);
  expect(fallbacks).toEqual([]);
  expectErrorsAbout(browserErrors, ...COLLECTED);
});

test("A tab reloads if a cached response names collected files", async ({ page, operate, browserErrors }) => {
  const { own, operator } = await operate(RETAIN_LIVE_ONLY);
  await deployAlteredTerms(operator);
  const fallbacks = await recordFallbacks(page);
  const documents = recordDocuments(page);
  await openPage(page, `${own.url}/`);
  const first = await deploymentOf(page);
  // Caches the response without its files.
  await page.evaluate(
    async (address) => {
      await (await fetch(address, { headers: { accept: "application/json" } })).json();
    },
    `/_page/${String(first)}?path=%2Fterms`,
  );

  await operator.rollback({ section: "legal" });
  const { deployments, releases } = await operator.collect();
  expect(deployments).toContain(first);
  expect(releases).toEqual([expect.stringMatching(/^legal@/)]);
  await follow(page, "/terms");
  await expectScreen(page, ORIGINAL);
  expect(documents).toEqual(["/", "/terms"]);
  expect(fallbacks).toEqual([]);
  expectErrorsAbout(browserErrors, ...COLLECTED, "/assets/legal/");
});

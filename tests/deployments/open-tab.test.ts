import path from "node:path";

import type { Boot } from "@colonnade/kit/shell";
import type { Page } from "@playwright/test";

import { expectComplaintsAbout } from "../isolation/expectations";
import { publishAltered } from "../support/releases";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { visit } from "../support/signup";
import { expect, test, type Operator } from "./operator";
import { watchDocuments, watchFailures } from "./stubs";

const LEGAL = path.join(ROOT, "mfe-legal");
const BEFORE = "Terms of use";
const AFTER = "Terms of another release";
// Nothing is kept but what is live.
const STRICT = { store: { keep_deployments: 1, keep_hours: 0 } };

async function deployOtherTerms(operator: Operator): Promise<void> {
  const { name, version } = await publishAltered(operator.access, LEGAL, (_, text) => text.replaceAll(BEFORE, AFTER));
  await operator.deploy({ [name]: version });
}

async function deploymentOf(page: Page): Promise<number> {
  return (JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot).deployment;
}

test("a tab stays on its deployment through a deploy and a rollback, and comes anew once that is collected", async ({
  page,
  context,
  operate,
  complaints,
}) => {
  const { own, operator } = await operate(STRICT);
  const failures = await watchFailures(page);
  const documents = watchDocuments(page);
  await visit(page, `${own.url}/`);
  const first = await deploymentOf(page);

  await deployOtherTerms(operator);
  const visitor = await context.newPage();
  await visitor.goto(`${own.url}/terms`);
  await expectScreen(visitor, AFTER);
  await follow(page, "/terms");
  await expectScreen(page, BEFORE);

  const { number: live } = await operator.rollback({ section: "legal" });
  await follow(page, "/state/California");
  await expectScreen(page, "Escorts in California");
  expect(await deploymentOf(page)).toBe(first);
  expect(documents).toEqual(["/"]);

  expect((await operator.collect()).deployments).toContain(first);
  // What the tab has is still there, and what it has not leads to a new document.
  await follow(page, "/terms");
  await expectScreen(page, BEFORE);
  expect(documents).toEqual(["/"]);
  await follow(page, "/about-escort-babylon");
  await expectScreen(page, "About Colonnade Directory");
  await expect.poll(() => deploymentOf(page)).toBe(live);
  for (const [to, heading] of [
    ["/state/Oklahoma", "Escorts in Oklahoma"],
    ["/privacy", "Privacy policy"],
  ] as const) {
    await follow(page, to);
    await expectScreen(page, heading);
  }
  expect(documents).toEqual(["/", "/about-escort-babylon"]);
  expect(failures).toEqual([]);
  expectComplaintsAbout(complaints, "/_page/");
});

test("a tab comes anew where a cache still knows the files of a release that was collected", async ({
  page,
  operate,
  complaints,
}) => {
  const { own, operator } = await operate(STRICT);
  await deployOtherTerms(operator);
  const failures = await watchFailures(page);
  const documents = watchDocuments(page);
  await visit(page, `${own.url}/`);
  const first = await deploymentOf(page);
  // Puts the answer into the browser's cache, but none of the files.
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
  await expectScreen(page, BEFORE);
  expect(documents).toEqual(["/", "/terms"]);
  expect(failures).toEqual([]);
  expectComplaintsAbout(complaints, "/_page/", "/assets/legal/");
});

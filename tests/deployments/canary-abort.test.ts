import path from "node:path";

import { expectErrorsAbout, expectFallback } from "../isolation/expectations";
import { publishAltered } from "../support/altered-release";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { openPage } from "../support/signup";
import { clientAt } from "./clients";
import { ROLLOUT_COOKIE, rolloutCookie } from "./cohorts";
import { expect, test } from "./operator";

const FAULT = "a fault of this release";
const LEGAL = path.join(ROOT, "mfe-legal");
// So many that chance does not explain the failures.
const CLIENTS = 20;

test("A throwing canary is aborted while open tabs keep working", async ({ page, context, operate, browserErrors }) => {
  const { own, operator } = await operate({ rollout: { min_views: 5, min_clients: 4 } });
  const { live: before } = await operator.deployments();
  const { name, version } = await publishAltered(operator.access, LEGAL, (file, text, { pages }) => {
    const assets = pages.find(({ pattern }) => pattern === "/terms")?.assets ?? [];
    return assets.includes(file) ? `throw new Error('${FAULT}');${text}` : text;
  });
  const { number: canary } = await operator.deploy({ [name]: version }, { percent: 50 });
  expect((await operator.deployments()).rollouts).toMatchObject([{ deployment: canary, percent: 50 }]);

  const [candidateCookie, liveCookie] = await Promise.all([rolloutCookie(own, true), rolloutCookie(own, false)]);

  // Both visitors are in the rollout: one reads a working page, the other gets the fault.
  await context.addCookies([{ name: ROLLOUT_COOKIE, value: candidateCookie, url: own.url }]);
  const reader = await context.newPage();
  await openPage(reader, `${own.url}/state/California`);
  await reader.evaluate(() => {
    document.body.dataset.same = "document";
  });
  const reporting = page.waitForResponse("**/_report");
  await page.goto(`${own.url}/terms`);
  await expectFallback(page);
  expect((await reporting).status()).toBe(204);
  const report = {
    deployment: `${String(before)}.${String(canary)}`,
    release: `${name}@${version}`,
    phase: "load",
    error: "Error",
  };

  for (let host = 2; host < 2 + CLIENTS; host += 1) {
    await clientAt(own.url, host, `${ROLLOUT_COOKIE}=${liveCookie}`).view("/terms");
    const client = clientAt(own.url, host + CLIENTS, `${ROLLOUT_COOKIE}=${candidateCookie}`);
    await client.view("/terms");
    // 410 after the abort.
    expect([204, 410]).toContain(await client.report(report));
  }
  await expect.poll(async () => (await operator.deployments()).rollouts).toEqual([]);
  expect((await operator.deployments()).live).toBe(before);
  expect((await operator.history()).entries[0]).toMatchObject({ action: "automatic-abort", live: before });

  // Both tabs stay on their deployment.
  await expectScreen(reader, "Escorts in California");
  // The candidate changes no page that the reader has seen, but belongs to the set of the tab.
  const asked = reader.waitForRequest("**/_page/**");
  await follow(reader, "/about-escort-babylon");
  expect(new URL((await asked).url()).pathname).toBe(`/_page/${String(before)}.${String(canary)}`);
  await expectScreen(reader, "Guides");
  await expect(reader.locator("body")).toHaveAttribute("data-same", "document");
  await expectFallback(page);
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, "Terms of use");
  expectErrorsAbout(browserErrors, FAULT);
});

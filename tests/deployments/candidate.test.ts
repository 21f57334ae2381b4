import path from "node:path";

import { expectComplaintsAbout, expectFallback } from "../isolation/expectations";
import { publishAltered } from "../support/releases";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { visit } from "../support/signup";
import { clientAt } from "./clients";
import { expect, test } from "./operator";

const FAULT = "a fault of this release";
const LEGAL = path.join(ROOT, "mfe-legal");
const COOKIE = "colonnade-rollout";
// The first visitors a rollout takes in, and the last.
const FIRST_DRAW = 0;
const LAST_DRAW = 4_294_967_295;
const CLIENTS = 6;

test("a candidate that throws is taken back by itself, and whoever is on the site can go on reading", async ({
  page,
  context,
  operate,
  complaints,
}) => {
  const { own, operator } = await operate({ rollout: { minimum_views: 5, minimum_clients: 4 } });
  const { live: before } = await operator.deployments();
  const { name, version } = await publishAltered(operator.access, LEGAL, (file, text, { pages }) => {
    const assets = pages.find(({ pattern }) => pattern === "/terms")?.assets ?? [];
    return assets.includes(file) ? `throw new Error('${FAULT}');${text}` : text;
  });
  const { number: candidate } = await operator.deploy({ [name]: version }, { percent: 50 });
  expect((await operator.deployments()).rollout).toMatchObject({ deployment: candidate, percent: 50 });

  // The cookie names the rollout, and the visitor's draw.
  const { "set-cookie": cookies = [] } = await clientAt(own.url, 1).view("/");
  const [, rollout] = new RegExp(`^${COOKIE}=([^.;]+)\\.\\d+;`).exec(cookies.join()) ?? [];
  if (rollout === undefined) throw new Error(`no cookie of the rollout: ${cookies.join()}`);
  const cookieOf = (draw: number): string => `${rollout}.${String(draw)}`;

  // One visitor reads a page that works, another meets the fault. Both are in the rollout.
  await context.addCookies([{ name: COOKIE, value: cookieOf(FIRST_DRAW), url: own.url }]);
  const reader = await context.newPage();
  await visit(reader, `${own.url}/state/California`);
  await reader.evaluate(() => {
    document.body.dataset.same = "document";
  });
  const reporting = page.waitForResponse("**/_report");
  await page.goto(`${own.url}/terms`);
  await expectFallback(page);
  expect((await reporting).status()).toBe(204);
  const report = { deployment: candidate, release: `${name}@${version}`, phase: "load", error: "Error" };

  for (let host = 2; host < 2 + CLIENTS; host += 1) {
    await clientAt(own.url, host, `${COOKIE}=${cookieOf(LAST_DRAW)}`).view("/terms");
    const client = clientAt(own.url, host + CLIENTS, `${COOKIE}=${cookieOf(FIRST_DRAW)}`);
    await client.view("/terms");
    // Once it is taken back, there is nothing to report on.
    expect([204, 410]).toContain(await client.report(report));
  }
  await expect.poll(async () => (await operator.deployments()).rollout).toBeNull();
  expect((await operator.deployments()).live).toBe(before);
  expect((await operator.history()).entries[0]).toMatchObject({ action: "automatic-abort", live: before });

  // Neither tab has been touched: the page is there, and so is all that works in its deployment.
  await expectScreen(reader, "Escorts in California");
  await follow(reader, "/about-escort-babylon");
  await expectScreen(reader, "About Colonnade Directory");
  await expect(reader.locator("body")).toHaveAttribute("data-same", "document");
  await expectFallback(page);
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, "Terms of use");
  expectComplaintsAbout(complaints, FAULT);
});

import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { build } from "@colonnade/kit/build";

import { test } from "../support/beside";
import { deployAltered } from "../support/releases";
import { deployPackages } from "../support/releases.mjs";
import { ROOT } from "../support/repository.mjs";
import { expectScreen } from "../support/screens";
import { startSite, type Site } from "../support/site.mjs";
import { endFault, expectComplaintsAbout, expectFallback, expectOthersWork, tryInVain } from "./expectations";

const FAULT = "a fault of this release";

let folder: string;
let own: Site;
test.beforeAll(async ({ site }) => {
  folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-faulty-"));
  await cp(path.join(import.meta.dirname, "fixtures/faulty"), folder, { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await build(folder, { final: false });
  own = await startSite({ like: site });
  await deployPackages(own.access, [folder]);
});
test.afterAll(async () => {
  await own.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const [place, when] of [
  ["data", "its data is asked for"],
  ["head", "its head is made"],
  ["render", "it is drawn"],
  ["effect", "it has been drawn"],
] as const) {
  test(`a page throws when ${when}`, async ({ page, complaints }) => {
    await page.goto(`${own.url}/faulty/${place}`);
    await expectFallback(page);
    await expectOthersWork(page, "faulty");
    await page.goto(`${own.url}/faulty/${place}`);
    await expectFallback(page);
    await endFault(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, "The fault is over");
    expectComplaintsAbout(complaints, FAULT);
  });
}

test("a page that throws again and again comes anew with the release that is live by then", async ({
  page,
  beside,
  complaints,
}) => {
  const repaired = await beside({ like: own });
  await page.goto(`${repaired.url}/faulty/render`);
  await expectFallback(page);
  await tryInVain(page);
  await deployAltered(repaired, folder, (_, text) => text.replaceAll("globalThis.faultIsOver", "true"));
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, "The fault is over");
  expectComplaintsAbout(complaints, FAULT);
});

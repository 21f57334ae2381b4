import { test } from "../support/beside";
import { deployAltered } from "../support/releases";
import { deployPackages } from "../support/releases.mjs";
import { expectScreen } from "../support/screens";
import { startSite, type Site } from "../support/site.mjs";
import { buildFaulty, FAULT, type Faulty } from "./build";
import { endFault, expectComplaintsAbout, expectFallback, expectOthersWork, tryInVain } from "./expectations";

let faulty: Faulty;
let own: Site;
test.beforeAll(async ({ site }) => {
  faulty = await buildFaulty();
  own = await startSite({ like: site });
  await deployPackages(own.access, [faulty.folder]);
});
test.afterAll(async () => {
  await own.stop();
  await faulty.remove();
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
  await deployAltered(repaired, faulty.folder, (_, text) => text.replaceAll("globalThis.faultIsOver", "true"));
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, "The fault is over");
  expectComplaintsAbout(complaints, FAULT);
});

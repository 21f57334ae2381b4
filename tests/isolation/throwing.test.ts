import path from "node:path";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/beside";
import { deployAltered } from "../support/releases";
import { deployPackages } from "../support/releases.mjs";
import { ROOT } from "../support/repository.mjs";
import { expectScreen } from "../support/screens";
import { endFault, expectComplaintsAbout, expectFallback, expectOthersWork, tryInVain } from "./expectations";
import { SECTIONS } from "./sections";

// Put before a script, this makes it fail until the fault is over.
const FAULT = "a fault of this release";
const THROW = `if(!globalThis.faultIsOver)throw new Error('${FAULT}');`;

for (const { name, pattern, heading } of SECTIONS) {
  const folder = path.join(ROOT, `mfe-${name}`);

  test(`${name}: the entry throws`, async ({ page, beside, complaints }) => {
    const own = await beside();
    await deployAltered(own, folder, (file, text, { entry }) => (file === entry ? THROW + text : text));
    await page.goto(own.url + pattern);
    await expectFallback(page);
    await expectOthersWork(page, name);
    await page.goto(own.url + pattern);
    await expectFallback(page);
    await endFault(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, heading);
    expectComplaintsAbout(complaints, FAULT);
  });

  test(`${name}: a page's script throws, until another release is live`, async ({ page, beside, complaints }) => {
    const own = await beside();
    await deployAltered(own, folder, (file, text, { pages }) => {
      const assets = pages.find((known) => known.pattern === pattern)?.assets ?? [];
      return assets.includes(file) ? THROW + text : text;
    });
    await page.goto(own.url + pattern);
    await expectFallback(page);
    await tryInVain(page);
    await deployPackages(own.access, [folder]);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, heading);
    expectComplaintsAbout(complaints, FAULT);
  });
}

test("axe finds nothing on the fallback of a section", async ({ page, beside, complaints }) => {
  const own = await beside();
  await deployAltered(own, path.join(ROOT, "mfe-legal"), (file, text, { entry }) =>
    file === entry ? THROW + text : text,
  );
  await page.goto(`${own.url}/terms`);
  await expectFallback(page);
  await expectAccessibleInAllAppearances(page);
  expectComplaintsAbout(complaints, FAULT);
});

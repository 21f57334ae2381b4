import path from "node:path";

import { deployAltered } from "../support/altered-release";
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { deployPackages } from "../support/deploy-packages.mjs";
import { test } from "../support/own-site";
import { ROOT } from "../support/repository.mjs";
import { expectScreen } from "../support/screens";
import {
  clearFault,
  expectErrorsAbout,
  expectFallback,
  expectOtherSectionsWork,
  expectRetryFails,
} from "./expectations";
import { FAULT_SECTIONS } from "./sections";

// Prepended to a script, throws until the fault is cleared.
const FAULT = "a fault of this release";
const THROW = `if(!globalThis.faultCleared)throw new Error('${FAULT}');`;

for (const { name, pattern, heading } of FAULT_SECTIONS) {
  const folder = path.join(ROOT, `mfe-${name}`);

  test(`${name} falls back when its code throws during load`, async ({ page, startOwnSite, browserErrors }) => {
    const own = await startOwnSite();
    await test.step("The entry throws, until a retry", async () => {
      await deployAltered(own, folder, (file, text, { entry }) => (file === entry ? THROW + text : text));
      await page.goto(own.url + pattern);
      await expectFallback(page);
      await expectOtherSectionsWork(page, name);
      await page.goto(own.url + pattern);
      await expectFallback(page);
      await clearFault(page);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, heading);
      expectErrorsAbout(browserErrors, FAULT);
    });

    await test.step("A page's script throws, until the next release", async () => {
      await deployAltered(own, folder, (file, text, { pages }) => {
        const assets = pages.find((known) => known.pattern === pattern)?.assets ?? [];
        return assets.includes(file) ? THROW + text : text;
      });
      await page.goto(own.url + pattern);
      await expectFallback(page);
      await expectRetryFails(page);
      if (name === "legal") await expectAccessibleInAllAppearances(page);
      await deployPackages(own.access, [folder]);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, heading);
      expectErrorsAbout(browserErrors, FAULT);
    });
  });
}

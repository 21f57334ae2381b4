import { expect } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expectErrorsAbout } from "../support/browser-errors";
import { findFile, overwrite, PARTS, remove } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { expectFallback, expectOtherSectionsWork, expectRetryFails } from "./expectations";
import { FAULT_SECTIONS } from "./sections";

for (const section of FAULT_SECTIONS)
  for (const part of PARTS)
    test(`${section.name} falls back while its ${part} is damaged`, async ({ page, uncachedSite, browserErrors }) => {
      const file = await findFile(uncachedSite, section.name, section.pattern, part);
      const repair = await remove(file);
      try {
        await page.goto(uncachedSite.url + section.pattern);
        await expectFallback(page);
        if (part === "script") {
          await expectAccessibleInAllAppearances(page);
          // With view transitions.
          await page.emulateMedia({ reducedMotion: "no-preference" });
          await expectOtherSectionsWork(page, section.name);
          // The fault persists on the next visit.
          await follow(page, section.pattern);
          await expectFallback(page);
        }
        // The file stays damaged: a preload could store the published file in the browser's cache.
        await overwrite(file, "/* not the published file */ globalThis.tampered = true;");
        await page.goto(uncachedSite.url + section.pattern);
        await expectFallback(page);
        await expectRetryFails(page);
        expect(await page.evaluate(() => "tampered" in window)).toBe(false);
      } finally {
        await repair();
      }
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, section.heading);
      expectErrorsAbout(browserErrors, file.path);
    });

import { expect } from "@playwright/test";

import { findFile, overwrite, PARTS, remove } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { expectErrorsAbout, expectFallback, expectOtherSectionsWork, expectRetryFails } from "./expectations";
import { FAULT_SECTIONS } from "./sections";

for (const section of FAULT_SECTIONS) {
  for (const part of PARTS) {
    test(`${section.name} falls back while its ${part} is damaged`, async ({ page, uncachedSite, browserErrors }) => {
      const file = await findFile(uncachedSite, section.name, section.pattern, part);
      // One part runs view transitions.
      if (part === "script") await page.emulateMedia({ reducedMotion: "no-preference" });
      const expectContained = async (): Promise<void> => {
        await page.goto(uncachedSite.url + section.pattern);
        await expectFallback(page);
        await expectOtherSectionsWork(page, section.name);
        // The fault persists on the next visit and on a retry.
        await follow(page, section.pattern);
        await expectFallback(page);
        await expectRetryFails(page);
      };

      const repair = await remove(file);
      try {
        await test.step("missing", expectContained);
        // The file stays damaged: a preload could store the published file in the browser's cache.
        await overwrite(file, "/* not the published file */ globalThis.tampered = true;");
        await test.step("replaced", expectContained);
        expect(await page.evaluate(() => "tampered" in window)).toBe(false);
      } finally {
        await repair();
      }
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, section.heading);
      expectErrorsAbout(browserErrors, file.path);
    });
  }
}

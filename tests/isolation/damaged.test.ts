import { expect } from "@playwright/test";

import { findFile, PARTS, remove, replace, type Repair, type StoredFile } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { startSite, type Site } from "../support/site.mjs";
import { expectComplaintsAbout, expectFallback, expectOthersWork, tryInVain } from "./expectations";
import { SECTIONS } from "./sections";

const DAMAGES: readonly [name: string, damage: (file: StoredFile) => Promise<Repair>][] = [
  ["removed", remove],
  ["replaced by other bytes", (file) => replace(file, "/* not what was published */ globalThis.tampered = true;")],
];

let own: Site;
test.beforeAll(async ({ site }) => {
  // What is kept in memory would be sent as it was.
  own = await startSite({ like: site, changes: { assets: { cache_mib: 0 } } });
});
test.afterAll(async () => {
  await own.stop();
});

for (const section of SECTIONS) {
  for (const part of PARTS) {
    for (const [name, damage] of DAMAGES) {
      test(`${section.name}: the ${part} is ${name}`, async ({ page, complaints }) => {
        const file = await findFile(own, section.name, section.pattern, part);
        const repair = await damage(file);
        await page.goto(own.url + section.pattern);
        await expectFallback(page);
        await expectOthersWork(page, section.name);

        // Still broken when the visitor comes back, and when trying again.
        await follow(page, section.pattern);
        await expectFallback(page);
        await tryInVain(page);
        expect(await page.evaluate(() => "tampered" in window)).toBe(false);

        await repair();
        await page.getByRole("button", { name: "Try again" }).click();
        await expectScreen(page, section.heading);
        expectComplaintsAbout(complaints, file.path);
      });
    }
  }
}

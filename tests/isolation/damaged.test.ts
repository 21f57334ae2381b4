import { test } from "../support/fixtures";
import { findFile, remove, replace, type Part, type Repair, type StoredFile } from "../support/damage";
import { expectScreen, follow } from "../support/screens";
import { startSite, type Site } from "../support/site.mjs";
import { expectComplaintsAbout, expectFallback, expectOthersWork } from "./expectations";
import { SECTIONS } from "./sections";

const PARTS: readonly Part[] = ["entry", "script", "stylesheet"];
const DAMAGES: readonly [name: string, damage: (file: StoredFile) => Promise<Repair>][] = [
  ["removed", remove],
  ["corrupted", (file) => replace(file, "}{ these are not the bytes that were published")],
  ["replaced by other code", (file) => replace(file, "throw new Error('this is not the section');")],
];

let own: Site;
test.beforeAll(async ({ site }) => {
  own = await startSite({ like: site });
});
test.afterAll(async () => {
  await own.stop();
});

for (const section of SECTIONS) {
  for (const part of PARTS) {
    for (const [name, damage] of DAMAGES) {
      test(`the ${part} of ${section.name} is ${name}`, async ({ page, complaints }) => {
        const file = await findFile(own, section.name, section.pattern, part);
        const repair = await damage(file);
        await page.goto(own.url + section.pattern);
        await expectFallback(page);
        await expectOthersWork(page, section);

        // Still broken when the visitor comes back, and when trying again.
        await follow(page, section.pattern);
        await expectFallback(page);
        await page.getByRole("button", { name: "Try again" }).click();
        await expectFallback(page);

        await repair();
        await page.getByRole("button", { name: "Try again" }).click();
        await expectScreen(page, section.heading);
        expectComplaintsAbout(complaints, file.url);
      });
    }
  }
}

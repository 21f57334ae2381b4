import { test } from "../support/beside";
import { findFile, remove, replace, type Part, type Repair, type StoredFile } from "../support/damage";
import { expectScreen, follow } from "../support/screens";
import { expectComplaintsAbout, expectFallback, expectOthersWork } from "./expectations";
import { SECTIONS } from "./sections";

const PARTS: readonly Part[] = ["entry", "script", "stylesheet"];
const DAMAGES: readonly [name: string, damage: (file: StoredFile) => Promise<Repair>][] = [
  ["removed", remove],
  ["corrupted", (file) => replace(file, "}{ these are not the bytes that were published")],
];

for (const section of SECTIONS) {
  test.describe(`${section.name}:`, () => {
    for (const part of PARTS) {
      for (const [name, damage] of DAMAGES) {
        test(`its ${part} ${name}`, async ({ page, beside, complaints }) => {
          const own = await beside();
          const file = await findFile(own, section.name, section.pattern, part);
          const repair = await damage(file);
          await page.goto(own.url + section.pattern);
          await expectFallback(page);
          await expectOthersWork(page, section);

          await follow(page, section.pattern);
          await expectFallback(page);
          await repair();
          await page.getByRole("button", { name: "Try again" }).click();
          await expectScreen(page, section.heading);
          expectComplaintsAbout(complaints, file.url);
        });
      }
    }
  });
}

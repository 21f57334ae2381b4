import type { Page } from "@playwright/test";

import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { ARTICLES, MISSING, open, SCREENS } from "../support/screens";

/** What a page says, in its body as in its head, that has a typewriter's quotation mark or apostrophe in it. */
async function straightQuotes(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const body = document.body.cloneNode(true) as HTMLElement;
    for (const unseen of body.querySelectorAll("script, noscript")) unseen.remove();
    const description = document.querySelector<HTMLMetaElement>("meta[name=description]")?.content ?? "";
    const said = `${document.title}\n${description}\n${body.textContent}`;
    return [...said.matchAll(/.{0,20}["'].{0,20}/g)].map(([around]) => around);
  });
}

for (const screen of [...SCREENS, ...MISSING]) {
  test(`${screen.name} sets quotation marks and apostrophes as print does`, async ({ page, complaints }) => {
    await open(page, screen);
    if (MISSING.includes(screen)) await expectRefused(complaints, 404);
    expect(await straightQuotes(page)).toEqual([]);
  });
}

test("so do all articles", async ({ page }) => {
  for (const article of ARTICLES) {
    await page.goto(`/about-escort-babylon/${article}`);
    await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
    expect.soft(await straightQuotes(page), article).toEqual([]);
  }
});

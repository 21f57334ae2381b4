import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { ARTICLES, MISSING, open, SCREENS, type Screen } from "../support/screens";

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

const TEXTS: readonly Screen[] = ARTICLES.map((slug) => ({
  name: slug,
  path: `/about-escort-babylon/${slug}`,
  heading: "",
}));

for (const screen of [...SCREENS, ...TEXTS, ...MISSING]) {
  test(`${screen.name} sets quotation marks and apostrophes as print does`, async ({ page, complaints }) => {
    if (screen.heading) await open(page, screen);
    else await page.goto(screen.path);
    // A document that is not found is one more line in the console.
    complaints.errors.length = 0;
    expect(await straightQuotes(page)).toEqual([]);
  });
}

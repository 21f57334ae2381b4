// What a visitor's browser fetches, held against tests/budget.json. `node bench/first-view.mjs` says what it is made of.
import budget from "../budget.json" with { type: "json" };
import { expect, test } from "../support/fixtures";
import { loadFirstView, weighNext } from "../support/weight.mjs";

const PAGES = [
  "/",
  "/state/California",
  "/city/Texas/Austin",
  "/city/Texas/Houston/ad/4251",
  "/about-escort-babylon",
  "/about-escort-babylon/safety-guide",
  "/about-escort-babylon/top-cities",
  "/terms",
  "/privacy",
  "/signup",
  "/success",
  "/nowhere",
];

/** What a visitor opens first and goes on to, and what that draws last where it is not the heading. */
const STEPS: readonly (readonly [from: string, to: string, last?: string])[] = [
  ["/", "/state/California"],
  ["/state/California", "/city/California/Los%20Angeles", "main img"],
  ["/city/Texas/Houston", "/city/Texas/Houston/ad/4251"],
  ["/", "/about-escort-babylon"],
  ["/about-escort-babylon", "/about-escort-babylon/safety-guide"],
  ["/about-escort-babylon/safety-guide", "/about-escort-babylon/red-flags"],
  ["/", "/terms"],
  ["/city/Texas/Houston", "/signup"],
];

const { firstView, font, next } = budget;

for (const path of PAGES) {
  test(`the first view of ${path} stays within its budget`, async ({ browser, site }) => {
    const { page, weight } = await loadFirstView(browser, site.url + path);
    await page.context().close();
    const style = weight.inlined + weight.stylesheet;
    const seen = { html: weight.document, script: weight.script, style, image: weight.image };
    for (const [kind, bytes] of Object.entries(seen))
      expect(bytes, `${kind} of ${path}, in bytes`).toBeLessThanOrEqual(firstView[kind as keyof typeof seen]);
    expect(weight.largestFont, `largest font of ${path}, in bytes`).toBeLessThanOrEqual(font);
    // A measurement that missed everything would pass, too.
    expect(weight.script).toBeGreaterThan(50_000);
    expect(style).toBeGreaterThan(1_000);
  });
}

for (const [from, to, last] of STEPS) {
  test(`going from ${from} to ${to} adds no more than its budget`, async ({ browser, site }) => {
    const { page } = await loadFirstView(browser, site.url + from);
    const { script, stylesheet, image, font: fonts, other, requests } = await weighNext(page, to, last);
    await page.context().close();
    expect(script + stylesheet + fonts + other + image, "bytes in all").toBeLessThanOrEqual(next);
    expect(requests).toBeGreaterThan(0);
    // As above.
    if (last?.includes("img")) expect(image).toBeGreaterThan(0);
  });
}

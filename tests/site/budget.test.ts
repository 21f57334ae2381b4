// Transfer sizes against tests/budget.json. `node bench/first-view.mjs` breaks them down.
import budget from "../budget.json" with { type: "json" };
import { expect, test } from "../support/own-pages";
import { loadFirstView, measureNavigation } from "../support/page-weight.mjs";

/** A client-side navigation, and the selector that the next page renders last. */
type Navigation = readonly [to: string, last?: string];

const PAGES: readonly (readonly [path: string, next?: Navigation])[] = [
  ["/", ["/state/California"]],
  ["/state/California", ["/city/California/Los%20Angeles", "main img"]],
  ["/city/Texas/Houston", ["/city/Texas/Houston/ad/4251"]],
  ["/city/Texas/Houston/ad/4251", ["/signup"]],
  ["/about-escort-babylon", ["/about-escort-babylon/safety-guide"]],
  ["/about-escort-babylon/safety-guide", ["/about-escort-babylon/red-flags"]],
  ["/about-escort-babylon/top-cities"],
  ["/terms", ["/about-escort-babylon"]],
  ["/signup", ["/terms"]],
  ["/success"],
  ["/nowhere"],
  // Other pages of the same code.
  ...(process.env.SOAK ? [["/city/Texas/Austin"] as const, ["/privacy"] as const] : []),
];

const { firstView, extension, font, next } = budget;
const scripts: Readonly<Record<string, number>> = budget.script;

// Each measurement needs an empty cache, so it opens its own page.
for (const [path, [to, last] = []] of PAGES) {
  const navigation = to === undefined ? "" : `, and so does the navigation to ${to}`;

  test(`${path} stays within the budget${navigation}`, async ({ browser, site }) => {
    const { page, weight } = await loadFirstView(browser, site.url + path);
    const style = weight.inlined + weight.stylesheet;
    expect.soft(weight.extension, `extensions of ${path}, in bytes`).toBeLessThanOrEqual(extension);
    const measured = { html: weight.document, script: weight.script, style, image: weight.image };
    const limits = { ...firstView, script: scripts[path] ?? firstView.script };
    for (const [kind, bytes] of Object.entries(measured))
      expect.soft(bytes, `${kind} of ${path}, in bytes`).toBeLessThanOrEqual(limits[kind as keyof typeof measured]);
    expect.soft(weight.largestFont, `largest font of ${path}, in bytes`).toBeLessThanOrEqual(font);
    // Guards against a measurement that misses everything.
    expect(weight.script).toBeGreaterThan(50_000);
    expect(style).toBeGreaterThan(1_000);

    if (to !== undefined) {
      const { script, stylesheet, image, font: fonts, other, requests } = await measureNavigation(page, to, last);
      expect.soft(script + stylesheet + fonts + other + image, "total bytes").toBeLessThanOrEqual(next);
      expect(requests).toBeGreaterThan(0);
      if (last?.includes("img")) expect(image).toBeGreaterThan(0);
    }
    await page.context().close();
  });
}

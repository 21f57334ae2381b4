import { expect, test } from "../support/own-pages";

// Without the preload, the font of a first visit arrives after the first paint, and `font-display: optional` ignores it.
test("The font of headings is preloaded, and loaded once", async ({ browser, site }) => {
  const page = await (await browser.newContext()).newPage();
  const fonts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "font") fonts.push(request.url());
  });
  await page.goto(site.url, { waitUntil: "networkidle" });
  const preloaded = await page
    .locator('link[rel="preload"][as="font"]')
    .evaluateAll((links) => links.map((link) => (link instanceof HTMLLinkElement ? link.href : "")));
  expect(preloaded).toHaveLength(1);
  expect(fonts).toEqual(preloaded);
  await page.context().close();
});

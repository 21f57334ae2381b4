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

// Of this machine, such as DejaVu Serif or Liberation Serif.
test("The fallback font of headings is as wide as the font", async ({ browser, site }) => {
  const widthOf = async (blocked: boolean): Promise<number> => {
    const page = await (await browser.newContext()).newPage();
    if (blocked) await page.route("**/*.woff2", (route) => route.abort());
    await page.goto(`${site.url}/state/California`, { waitUntil: "networkidle" });
    const width = await page.getByRole("heading", { level: 1 }).evaluate((heading) => {
      const range = document.createRange();
      range.selectNodeContents(heading);
      return range.getBoundingClientRect().width;
    });
    await page.context().close();
    return width;
  };
  const font = await widthOf(false);
  expect(Math.abs((await widthOf(true)) / font - 1)).toBeLessThan(0.04);
});

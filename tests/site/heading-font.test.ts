import { waitForPaint } from "../support/hydration";
import { recordLayoutShifts } from "../support/layout-shifts";
import { expect, test } from "../support/own-pages";

const PATHS = ["/", "/about-escort-babylon", "/city/Texas/Austin", "/state/California", "/terms"];

// Without the preload, the font of a first visit arrives after the first paint.
test("A first visit preloads the font of headings, and uses it", async ({ browser, site }) => {
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
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("DOM.enable");
  await protocol.send("CSS.enable");
  const { root } = await protocol.send("DOM.getDocument");
  const { nodeId } = await protocol.send("DOM.querySelector", { nodeId: root.nodeId, selector: "h1" });
  const { fonts: used } = await protocol.send("CSS.getPlatformFontsForNode", { nodeId });
  expect(used.map(({ familyName }) => familyName)).toEqual([expect.stringContaining("Fraunces")]);
  await page.context().close();
});

for (const width of [412, 1280]) {
  test(`A late font moves nothing at ${String(width)} px`, async ({ browser, site }) => {
    for (const path of process.env.SOAK ? PATHS : PATHS.slice(0, 2)) {
      const page = await (await browser.newContext({ viewport: { width, height: 740 } })).newPage();
      const shifts = await recordLayoutShifts(page);
      let deliver = (): void => undefined;
      const painted = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      await page.route("**/*.woff2", async (route) => {
        await painted;
        await route.continue();
      });
      const font = page.waitForResponse(/\.woff2$/);
      await page.goto(site.url + path, { waitUntil: "domcontentloaded" });
      await waitForPaint(page);
      deliver();
      await (await font).finished();
      await page.evaluate(() => document.fonts.ready);
      await waitForPaint(page);
      expect(await shifts(), path).toEqual([]);
      await page.context().close();
    }
  });
}

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

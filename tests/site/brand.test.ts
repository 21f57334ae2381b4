import { expect, test } from "../support/own-site";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { SCREENS } from "../support/screens";

const PATHS = [...SCREENS.map(({ path }) => path), "/about-escort-babylon/red-flags"];

test("A long brand name fits the smallest phone", async ({ page, startOwnSite }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  // The header, which wraps at spaces, is the same on every screen.
  for (const [brand, paths] of [
    ["The Very Long Name Directory of Something", ["/"]],
    ["Averylongnamewithoutanyspaceinitatall", PATHS],
  ] as const) {
    const { url } = await startOwnSite({ config: { site: { brand } } });
    for (const path of paths) {
      await page.goto(url + path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectNoHorizontalScroll(page);
      const header = await boxOf(page.getByRole("banner"));
      const name = await boxOf(page.getByRole("banner").getByText(brand));
      expect(name.y).toBeGreaterThan(header.y);
      expect(name.y + name.height).toBeLessThan(header.y + header.height);
      expect(name.x + name.width).toBeLessThanOrEqual(320);
    }
  }
});

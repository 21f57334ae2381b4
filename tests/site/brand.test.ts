import { testOn } from "../support/configured";
import { expect } from "../support/fixtures";
import { SCREENS } from "../support/screens";
import { boxOf, expectNoSidewaysScroll } from "../support/layout";

const PATHS = [...SCREENS.map(({ path }) => path), "/about-escort-babylon/red-flags"];

for (const brand of ["The Very Long Name Directory of Something", "Averylongnamewithoutanyspaceinitatall"]) {
  const test = testOn({ changes: { site: { brand } } });

  test(`a site called ${brand} fits the smallest phone`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const path of PATHS) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectNoSidewaysScroll(page);
      // Its name stays within the header.
      const header = await boxOf(page.getByRole("banner"));
      const name = await boxOf(page.getByRole("banner").getByText(brand));
      expect(name.y).toBeGreaterThan(header.y);
      expect(name.y + name.height).toBeLessThan(header.y + header.height);
      expect(name.x + name.width).toBeLessThanOrEqual(320);
    }
  });
}

import { test as base, type Page } from "@playwright/test";

import { startGallery } from "../../packages/design/gallery/dist/server.js";

/** The `test` with the component gallery open: bundled font, light color scheme, no animations. */
export const test = base.extend<{ gallery: Page }, { address: string }>({
  address: [
    async ({}, use) => {
      const { url, stop } = await startGallery(0);
      await use(`${url}/?fixed`);
      await stop();
    },
    { scope: "worker" },
  ],
  gallery: async ({ page, address }, use) => {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1024, height: 900 });
    await page.goto(address);
    await page.evaluate(() => document.fonts.ready);
    await use(page);
  },
});

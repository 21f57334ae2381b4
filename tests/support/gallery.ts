import { test as base, type Page } from "@playwright/test";

import { startGallery } from "../../kit/gallery/dist/server.js";

/** A test with the gallery of the kit's components open, drawn with a font of its own, light and still. */
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

import type { Locator, Page } from "@playwright/test";

import { test as base } from "./own-pages";

export { ASIDE, GREETING, HOME, VITE_ASIDE } from "./start-development";

/** The `test` of `colonnade dev`. Its tests open their own pages, because they cause errors. */
export const test = base.extend({
  baseURL: async ({ development }, use) => {
    await use(development.url);
  },
});

/** The overlay's dialog. */
export function overlay(page: Page): Locator {
  return page.getByRole("dialog", { name: /^\d+ problems?$/ });
}

export { expect } from "@playwright/test";

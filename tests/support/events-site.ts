import { test as base } from "./fixtures";

/** The `test` of the events example: `page` opens its site. */
export const test = base.extend({
  baseURL: async ({ events }, use) => {
    await use(events.site.url);
  },
});

export { expect } from "@playwright/test";

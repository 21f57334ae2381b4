import { test as base } from "./fixtures";

/** The `test` of examples/minimal-shell: `page` opens its site. */
export const test = base.extend({
  baseURL: async ({ minimal }, use) => {
    await use(minimal.url);
  },
});

export { expect } from "@playwright/test";

import { test as base } from "./fixtures";

/** The browser tests' `test` for tests that open their own pages instead of `page`. */
export const test = base.extend({
  browserErrors: async ({}, use) => {
    await use({ errors: [], cspViolations: [], expected: [] });
  },
});

export { expect } from "@playwright/test";

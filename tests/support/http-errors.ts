import { expect } from "@playwright/test";

import type { BrowserErrors } from "./browser-errors";

/**
 * Expects that the only browser errors are responses with `status`, and clears them. Chromium logs every response
 * of 400 or above as a console error.
 */
export async function expectHttpError(browserErrors: BrowserErrors, status: number): Promise<void> {
  const expected = `Failed to load resource: the server responded with a status of ${String(status)}`;
  await expect.poll(() => browserErrors.errors).toContainEqual(expect.stringContaining(expected));
  expect(browserErrors.errors.filter((text) => !text.startsWith(expected))).toEqual([]);
  browserErrors.errors.length = 0;
}

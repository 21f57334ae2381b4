import { expect } from "@playwright/test";

import type { Complaints } from "./fixtures";

/**
 * Chromium reports every answer of 400 and above as an error in the console. Where a test asks for such an
 * answer: makes sure that this is all there was, and forgets it.
 */
export async function expectRefused(complaints: Complaints, status: number): Promise<void> {
  const refused = `Failed to load resource: the server responded with a status of ${String(status)}`;
  await expect.poll(() => complaints.errors).toContainEqual(expect.stringContaining(refused));
  expect(complaints.errors.filter((text) => !text.startsWith(refused))).toEqual([]);
  complaints.errors.length = 0;
}

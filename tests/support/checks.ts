import { expect, test } from "@playwright/test";

/** A named check of a page. */
export type Check = readonly [name: string, run: () => Promise<void> | void];

/** Runs every check, even after one has failed. Each failure is reported under the name of its check. */
export async function runChecks(checks: readonly Check[]): Promise<void> {
  for (const [name, run] of checks) {
    try {
      await test.step(name, run);
    } catch (error) {
      // A soft failure survives a timeout of the test.
      expect.soft(false, `${name}: ${error instanceof Error ? error.message : String(error)}`).toBe(true);
    }
  }
}

import { checkSection } from "@colonnade/cli/testing";
import { expect, test } from "vitest";

test("the section follows the rules of the gateway", { timeout: 120_000 }, async () => {
  expect(await checkSection()).toEqual([]);
});

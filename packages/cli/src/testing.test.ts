import { expect, test } from "vitest";

import { labSection, pageSource } from "../fixtures/lab.js";
import { temporaryFolder } from "../fixtures/temporary.js";
import { checkSection } from "./testing.js";

test("checkSection returns errors, not warnings", { timeout: 120_000 }, async () => {
  const folder = await labSection({
    dice: pageSource("Component: () => <h1>{Math.random()}</h1>"),
    untitled: pageSource("Component: () => <p>Lab</p>"),
  });
  expect(await checkSection(folder)).toEqual([
    expect.objectContaining({ code: "COL102", location: "src/pages/dice.tsx:4:28" }),
  ]);
});

test("checkSection fails in a folder without a section", async () => {
  await expect(checkSection(await temporaryFolder())).rejects.toThrow("section.config.js");
});

import { expect, test } from "vitest";

import { labSection, pageSource } from "../fixtures/lab.js";
import { temporaryFolder } from "../fixtures/temporary.js";
import { checkSection } from "./testing.js";

const CONFIG = `export default {
  name: "hello", entry: "./src/section.ts", facts: { phone: "string", year: "number", open: "boolean", offices: "number[]" },
};`;

test(
  "checkSection returns errors, not warnings, and renders with the facts of the configuration",
  {
    timeout: 120_000,
  },
  async () => {
    const facts = "[phone.toUpperCase(), year.toFixed(), open.valueOf(), offices[0].toFixed()]";
    const pages = {
      dice: pageSource("Component: () => <h1>{Math.random()}</h1>"),
      untitled: pageSource("Component: () => <p>Lab</p>"),
      facts: pageSource(`data: ({ site: { facts: { phone, year, open, offices } } }) => ${facts}`),
    };
    const folder = await labSection(pages, {}, { "section.config.js": CONFIG });
    expect(await checkSection(folder)).toEqual([
      expect.objectContaining({ code: "COL102", location: "src/pages/dice.tsx:4:28" }),
    ]);
  },
);

test("checkSection fails in a folder without a section", async () => {
  await expect(checkSection(await temporaryFolder())).rejects.toThrow("section.config.js");
});

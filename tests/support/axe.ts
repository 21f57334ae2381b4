import { expect, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { AxeResults } from "axe-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails where axe finds anything against WCAG 2.2 AA or its best practices on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger, which the page's content security policy does not bind.
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(SOURCE);
  const found = await page.evaluate(async (tags) => {
    const { axe } = window as unknown as { axe: { run: (context: Document, options: object) => Promise<AxeResults> } };
    // To describe and send each of thousands of elements that pass takes longer than to look at them.
    const results = await axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
    return results.violations.map(
      ({ id, help, nodes }) => `${id}: ${help} – ${nodes.map(({ html }) => html).join(" | ")}`,
    );
  }, RULES);
  expect(found, "axe").toEqual([]);
}

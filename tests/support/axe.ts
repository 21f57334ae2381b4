import { expect, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { AxeResults } from "axe-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// The rules whose result depends on the color scheme.
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe checks. */
interface AxeScope {
  /** Checks only the elements of a selector. */
  readonly selector?: string;
  /** Checks only the rules whose result depends on the color scheme. */
  readonly colorsOnly?: boolean;
}

/** Expects no axe violation of WCAG 2.2 AA or best practices in the current page. */
export async function expectAccessible(page: Page, { selector, colorsOnly = false }: AxeScope = {}): Promise<void> {
  // evaluate() runs through the debugger, so the page's CSP does not apply.
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(SOURCE);
  const runOnly = colorsOnly ? { type: "rule", values: COLOR_RULES } : { type: "tag", values: TAGS };
  const found = await page.evaluate(
    async ({ only, context }) => {
      interface Axe {
        run(context: Document | string, options: object): Promise<AxeResults>;
      }
      const { axe } = window as unknown as { axe: Axe };
      // Reporting thousands of passing elements takes longer than checking them.
      const results = await axe.run(context ?? document, { runOnly: only, resultTypes: ["violations"] });
      return results.violations.map(
        ({ id, help, nodes }) => `${id}: ${help} – ${nodes.map(({ html }) => html).join(" | ")}`,
      );
    },
    { only: runOnly, context: selector },
  );
  expect(found, "axe").toEqual([]);
}

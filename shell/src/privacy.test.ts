import { readFileSync } from "node:fs";

import type { HistoryState } from "@colonnade/shell";
import { expect, it } from "vitest";

/** What the privacy policy says of each field. */
const DISCLOSURES: Readonly<Record<keyof HistoryState, string>> = {
  scrollTop: "how far you scrolled",
  opener: "which link you opened or field you left",
  reloadedDeployments: "remembers that the page was reloaded",
  dialog: "whether to open a dialog again",
  key: "each page’s place in the order of your visit, with a random mark",
};

const POLICY = readFileSync(new URL("../../mfe-legal/content/privacy.md", import.meta.url), "utf8");

it.each(Object.entries(DISCLOSURES))("privacy policy discloses the history field %s", (_, text) => {
  const [line] = POLICY.split("\n").filter((paragraph) => paragraph.startsWith("- **Where you were on a page:**"));
  expect(line).toContain(text);
});

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

import { ALL_ADS } from "../data/ads";
import { evidenceOf } from "./wording";

const CONTENT = path.resolve(import.meta.dirname, "../../content");
const SAYS_SAMPLES = /\b(every|all)\b[^.]*\b(ad|ads|listing|listings)\b[^.]*\bsamples?\b/i;

// Wording adapts to the ads automatically; texts in content/ do not.
it("texts call all ads samples only if they all are", () => {
  const files = readdirSync(CONTENT, { recursive: true, encoding: "utf8" }).filter((name) => /\.(md|json)$/.test(name));
  const matches = files.filter((name) => SAYS_SAMPLES.test(readFileSync(path.join(CONTENT, name), "utf8")));
  expect(matches.length).toBeGreaterThan(0);
  expect(evidenceOf(ALL_ADS).samples === "all" ? [] : matches, "texts to rewrite").toEqual([]);
});

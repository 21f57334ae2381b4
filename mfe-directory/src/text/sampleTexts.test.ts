import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

import { ALL_ADS } from "../data/ads";
import { evidenceOf } from "./wording";

const CONTENT = path.resolve(import.meta.dirname, "../../content");
const SAYS_SAMPLES = /\b(every|all)\b[^.]*\b(ad|ads|listing|listings)\b[^.]*\bsamples?\b/i;

// The wording follows the ads by itself; what writers wrote about the ads does not.
it("texts that call all ads samples stand only while they are", () => {
  const files = readdirSync(CONTENT, { recursive: true, encoding: "utf8" }).filter((name) => /\.(md|json)$/.test(name));
  const saying = files.filter((name) => SAYS_SAMPLES.test(readFileSync(path.join(CONTENT, name), "utf8")));
  expect(saying.length).toBeGreaterThan(0);
  expect(evidenceOf(ALL_ADS).samples === "all" ? [] : saying, "texts to be rewritten").toEqual([]);
});

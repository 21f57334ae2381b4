// Runs a fake compiler, which prints what TypeScript prints.
import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { TypeCheck } from "./typeCheck.js";

const COMPILER = `
const { utimesSync } = require("node:fs");
const pass = (text) => console.log(text + "\\nFound 1 error. Watching for file changes.");
pass("home.ts(1,1): error TS1: first");
console.log("File change detected. Starting incremental compilation...");
const later = Date.now() / 1000 + 60;
utimesSync("home.ts", later, later);
pass("home.ts(1,1): error TS2: stale\\nother.ts(1,1): error TS3: current");
setInterval(() => {}, 1000);
`;

test("errors in files that changed during a pass are dropped", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    "tsconfig.json": "{}",
    "home.ts": "1;",
    "other.ts": "1;",
    "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }',
    "node_modules/typescript/tsc.js": COMPILER,
  });
  const passes: string[][] = [];
  await new Promise<void>((resolve) => {
    const check = new TypeCheck(folder, "hello", () => {
      passes.push(check.problems.map(({ message }) => message));
      if (passes.length === 2) resolve();
    });
  });
  expect(passes).toEqual([["TS1: first"], ["TS3: current"]]);
});

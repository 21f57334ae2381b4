import { expect, test } from "vitest";

import { pageOf } from "../compatibility/page";
import { ENTRIES, expectedOf } from "../compatibility/table";
import { read } from "./repository.js";

test("The compatibility page is that of the table", async () => {
  expect(read("docs/compatibility.md")).toBe(await pageOf(ENTRIES.map(expectedOf)));
});

test("The compatibility page names what its pages install", () => {
  const installed = Object.keys(JSON.parse(read("tests/compatibility/package.json")).dependencies);
  expect([...new Set(ENTRIES.flatMap(({ packages }) => packages))].sort()).toEqual(installed.sort());
});

test("The short run has the versions of the compatibility page", () => {
  const { devDependencies } = JSON.parse(read("package.json"));
  const installed = { ...devDependencies, ...JSON.parse(read("tests/package.json")).dependencies };
  const named = JSON.parse(read("tests/compatibility/package.json")).dependencies;
  for (const name of ENTRIES.filter(({ inShortRun }) => inShortRun).flatMap(({ packages }) => packages))
    expect([name, installed[name]]).toEqual([name, named[name]]);
});

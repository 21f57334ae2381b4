import { access, readFile } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { runCompiled, spawnSection } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import { helloSection, writeFiles } from "../../fixtures/temporary.js";

const RANDOM = pageSource("Component: () => <h1>{Math.random()}</h1>");
const REPORT = `error: hello breaks the rules for sections: 1 problem

COL102 rendering /lab/dice (page /lab/dice) used Math.random()
  at src/pages/dice.tsx:4:28
  Derive the value from data. If it must be random, use it in an effect or an event handler, which run only in the browser.
`;

test("check of a section that follows the rules succeeds", async () => {
  const folder = await helloSection();
  expect(await spawnSection(folder, ["check"])).toEqual({ code: 0, out: "hello follows the rules\n", err: "" });
  expect(await runCompiled(folder, ["check", "--json"])).toEqual({
    code: 0,
    out: '{"name":"hello","problems":[]}\n',
    err: "",
  });
  await expect(access(path.join(folder, "release"))).rejects.toThrow("ENOENT");
});

test("check of a section that breaks a rule fails", async () => {
  const folder = await labSection({ dice: RANDOM });
  expect(await runCompiled(folder, ["check"])).toEqual({ code: 3, out: "", err: REPORT });
  const { code, out } = await runCompiled(folder, ["check", "--json"]);
  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject({ name: "hello", problems: [{ code: "COL102" }] });
});

test("build with a broken rule fails and keeps the release", async () => {
  const folder = await labSection({ dice: pageSource("") });
  expect(await runCompiled(folder, ["build"])).toMatchObject({ code: 0 });
  const manifest = path.join(folder, "release/release.json");
  const before = await readFile(manifest, "utf8");
  await writeFiles(folder, { "src/pages/dice.tsx": RANDOM });
  expect(await runCompiled(folder, ["build"])).toEqual({ code: 3, out: "", err: REPORT });
  expect(await readFile(manifest, "utf8")).toBe(before);
});

// `colonnade build`, and the commands that use its release. They refuse it after its inputs have changed.
import { randomBytes } from "node:crypto";
import { cp, readFile, rm } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/cli";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import {
  admin,
  failure,
  jsonBody,
  onlyRequest,
  runInTerminal,
  runCompiled,
  runSection,
} from "../../fixtures/command.js";
import { helloSection, temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { loadConfig } from "../build/config.js";
import { writeInputs } from "../build/inputs.js";
import { identify } from "../build/version.js";

const COMMANDS = ["publish", "deploy", "preview"];
const EDIT = { "src/languages.ts": 'export const LANGUAGES = ["Welsh"];\n' };

const LANGUAGES = path.resolve(import.meta.dirname, "../../fixtures/hello/src/languages.ts");

let built: string;
let release: Release;
let version: string;

beforeAll(async () => {
  // Type exports, which the compiler of a module cannot tell from missing ones, compile.
  built = await helloSection({
    "src/names.ts": 'export type { Name } from "./types";\nexport { type Name as Other } from "./types";\n',
    "src/types.ts": "export type Name = string;\n",
    "src/languages.ts": `export * from "./names";\n${await readFile(LANGUAGES, "utf8")}`,
  });
  const { code, out } = await runCompiled(built, ["build"]);
  expect(code).toBe(0);
  release = JSON.parse(await readFile(path.join(built, "release/release.json"), "utf8")) as Release;
  ({ version } = release);
  expect(out).toMatch(new RegExp(`^built hello@${version}: ${String(release.files.length)} files, \\d+ KiB\n$`));
});
beforeEach(() => {
  const url = "http://localhost/";
  admin.response = jsonResponse({ number: 7, live: true, rollouts: [], url, deployment: 7, expiresAt: 0 }, 201);
});

/** Builds the package in a folder. Returns the version. */
async function buildRelease(folder: string, ...options: readonly string[]): Promise<string> {
  const { code, out } = await runCompiled(folder, ["build", "--json", ...options]);
  expect(code).toBe(0);
  return (JSON.parse(out) as { version: string }).version;
}

/** Copies the built section, including its release. */
async function builtSection(): Promise<string> {
  const folder = path.join(await temporaryFolder(), "hello");
  await cp(built, folder, { recursive: true });
  return folder;
}

/** Checks that a command refuses the release and sends nothing. */
async function expectOutdated(folder: string, command: string, release: string, build: string): Promise<void> {
  const { code, out, err } = await runSection(folder, [command]);
  const text = err.replace(/inputs [0-9a-f]{12}, now [0-9a-f]{12}/, "inputs <hash>, now <hash>");
  expect({ code, out, err: text }).toEqual(
    failure(
      `${path.join(folder, "release")} is out of date: the sources, the lockfile, the kit or the command changed after ${release} ` +
        `was built (inputs <hash>, now <hash>); run \`${build}\` first`,
    ),
  );
  expect(admin.requests).toEqual([]);
}

test("an unchanged section is up to date, without gateway and token", async () => {
  const environment = { COLONNADE_TOKEN: "", COLONNADE_ADMIN: "nowhere" };
  const out = `hello@${version} is up to date\n`;
  expect(await runCompiled(built, ["build"], environment)).toEqual({ code: 0, out, err: "" });
  const json = await runCompiled(built, ["build", "--json"]);
  expect(JSON.parse(json.out)).toEqual({ name: "hello", version, built: false, warnings: [] });
});

test("an unchanged section is built again if the site that was named last allows less now", async () => {
  const folder = await helloSection();
  const build = (scriptKib: number, ...site: string[]) => {
    const target = { scriptKib, styleKib: 8, extensionPoints: {}, shared: {}, policy: {} };
    admin.responses = { "GET /_build-target/hello": jsonResponse(target) };
    return runCompiled(folder, ["build", ...site], { COLONNADE_ADMIN: "", COLONNADE_TOKEN: "" });
  };
  expect(await build(32, "--site", admin.url)).toMatchObject({ code: 0, err: "" });
  expect((await build(32)).out).toMatch(/ is up to date\n$/);
  const { code, err } = await build(1);
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(`(set by ${admin.url})`) as string });
});

test.each(["build", "check"])("%s without a site has at most the default limits, and says so", async (command) => {
  const text = randomBytes(40_000).toString("base64");
  const folder = await helloSection({
    "section.config.js": 'export default { name: "hello", entry: "./src/section.ts", budget: { scriptKib: 96 } };',
    "src/languages.ts": `${await readFile(LANGUAGES, "utf8")}\nconsole.log("${text}");\n`,
  });
  const { code, err } = await runCompiled(folder, [command], { COLONNADE_ADMIN: "", COLONNADE_TOKEN: "" });
  expect(code).toBe(3);
  expect(err.match(/^warning: .*/gm)).toEqual([
    expect.stringMatching(/^warning: no site is known, so the limits are the/),
  ]);
  expect(err).toMatch(
    /budget of 32 KiB \(the default\).*\n.*or pass --site with the URL of the site that you deploy to, if it allows more\.$/m,
  );
});

test.each([404, 302, 429, 200])("--site with another server fails (status %i)", async (status) => {
  admin.response = { status, body: "<svg/>" };
  const url = `${admin.url}/_build-target/hello`;
  const expected = "expected the URL of a Colonnade site";
  expect(await runSection(await helloSection(), ["build", "--site", admin.url])).toEqual(
    failure(`${url} responds with status ${String(status)} and no build target; ${expected}`),
  );
});

test("a missing section.config.js prints no stack trace", async () => {
  const elsewhere = await temporaryFolder();
  expect(await runSection(elsewhere, ["build"])).toEqual(
    failure(`${elsewhere} has no section.config.js; run this in the folder of a section`),
  );
});

const KEYS = Array.from({ length: 60 }, (_, index) => `  "key${String(index)}": ${index === 30 ? "value" : "1"}`);
const CLOSING = "an element has no closing tag, or its closing tag has another name";
const MISSING = "./languages does not export LANGUAGE";
const EXPORTS = "It exports LANGUAGES, greetingPath.";
const RE_EXPORT = 'export { LANGUAGE as NAME } from "./languages";\n';
const VIEW = "export const view = () => (\n  <div>\n";

/** Sources that do not compile: the file, its text, and the positions and messages of its errors. */
const FAULTS: readonly (readonly [file: string, source: string, ...errors: (readonly [string, string])[]])[] = [
  ["heading.tsx", `${VIEW}    <h1>Hello</h2>\n    <p>there</p>\n  </div>\n);\n`, [":3:5", CLOSING]],
  ["end.tsx", `${VIEW}    <p>there</p>\n);\n`, [":4:4", CLOSING]],
  ["named.ts", 'import { LANGUAGE } from "./languages";\nexport const NAME = () => LANGUAGE;\n', [":2:27", MISSING]],
  ["typed.ts", RE_EXPORT, [":1:1", MISSING]],
  ["plain.js", RE_EXPORT, [":1:1", MISSING]],
  ["comma.json", '{\n  "Dutch": "Hallo",\n}\n', [":3:1", "Expected double-quoted property name"]],
  ["value.json", '{\n  "Dutch": }\n', [":2:12", "Unexpected token '}'"]],
  ["word-in-long-file.json", `{\n${KEYS.join(",\n")}\n}\n`, [":32:12", "Unexpected token 'v'"]],
  ["end.json", '{\n  "Dutch": ', [":2:12", "Unexpected end of JSON input"]],
  [
    "url.module.css",
    ".languages {\n  color: red;\n}\n.a { color: red; background: /* b */ url( './b.png' ), url(./c.png?d#e); }\n" +
      ".f {\n  background:\n    url(~nowhere/f.png);\n}\n",
    [":4:38", "cannot find ./b.png"],
    [":4:56", "cannot find ./c.png?d"],
    [":7:5", "the package nowhere is not installed"],
  ],
  [
    "shared.tsx",
    'import { Link, Fooo } from "@colonnade/kit";\nimport { useStat } from "react";\n' +
      'export const view = () => (useStat(), (<Link to="/"><Fooo /><Fooo /></Link>));\n' +
      'export { definePag } from "@colonnade/kit";\n',
    [":1:1", "@colonnade/kit does not export Fooo"],
    [":2:1", "react does not export useStat"],
    [":4:1", "@colonnade/kit does not export definePag"],
  ],
  [
    "many.ts",
    'import { name51x } from "./names";\nexport const N = [name51x, name51x];\n',
    [":2:19", "./names does not export name51x"],
  ],
  ["plain.txt", "Hello, you.\n", ["", "the build does not support .txt files"]],
  ["text.mdx", "# Hello\n\n<Card>\n", [":3:1", "Expected a closing tag for `<Card>` (3:1-3:7)"]],
  ["plain.css", '@import "./g.css";\n.h { color: red }\n', [":1:1", "cannot find ./g.css"]],
  [
    "sass.scss",
    '@use "colors";\n// It\'s a comment.\n.i { background: url("./i-#{colors.$name}.png"); }\n',
    ["", "cannot find ./i-j.png"],
  ],
];

test.each(["build", "check"])("%s locates each error of the sources", async (command) => {
  const imports = FAULTS.map(([file], index) => `import * as m${String(index)} from "./${file}";\n`).join("");
  const values = FAULTS.map((_, index) => `m${String(index)}`).join(", ");
  const broken = await helloSection({
    ...Object.fromEntries(FAULTS.map(([file, source]) => [`src/${file}`, source])),
    "src/_colors.scss": "$name: j;",
    "src/names.ts": Array.from({ length: 110 }, (_, index) => `export const name${String(index)} = 1;\n`).join(""),
    "src/greetings.ts": `${imports}export const GREETINGS = [${values}].map((m) => ({ ...m }));\n`,
  });
  const { code, err } = await runCompiled(broken, [command]);
  expect(code).toBe(3);
  const found = [...err.matchAll(/^hello: \w+ error at src\/(.*)\n(.*)/gm)].map(([, at, message]) => [at, message]);
  const expected = FAULTS.flatMap(([file, , ...errors]) => errors.map(([at, message]) => [file + at, message]));
  expect(found.toSorted()).toEqual(expected.toSorted());
  const textAt = (position: string): string | undefined => err.split(`error at src/${position}\n`)[1]?.split("\n\n")[0];
  expect(textAt("named.ts:2:27")?.trimEnd().split("\n")).toEqual([
    MISSING,
    '  1 | import { LANGUAGE } from "./languages";',
    "> 2 | export const NAME = () => LANGUAGE;",
    "    |                           ^",
    "  3 | ",
    EXPORTS,
  ]);
  expect(textAt("typed.ts:1:1")).toContain(`\n${EXPORTS} If LANGUAGE is a type, use \`export type\`.`);
  expect(textAt("many.ts:2:19")).toMatch(/\nIt exports 110 names, such as name51, (name\d+, ){3}name\d+\.$/);
  expect(textAt("shared.tsx:2:1")).toMatch(/\nIt exports \d+ names, such as useState\./);
  expect(textAt("plain.txt")).toContain('\nAppend "?raw" to the import for its text');
  expect(textAt("plain.js:1:1")?.trimEnd()).toMatch(new RegExp(`\n${EXPORTS}$`));
});

test.runIf(process.platform === "linux")("a terminal gets the errors of compilers without colors", async () => {
  const broken = await helloSection({
    "src/languages.ts": "export const LANGUAGES = ;\n",
    "src/pages/languages.module.css": ".languages {\n",
  });
  const { code, out } = await runInTerminal(broken, ["build"]);
  expect(code).toBe(3);
  // The step is erased before the error.
  const lines = out.split("\x1b[K");
  expect([lines.at(0), lines.at(-2)]).toEqual(["\rbundles 0 s", "\r"]);
  expect(lines.at(-1)).toBe(
    [
      "error: hello does not compile: 2 problems",
      "",
      "hello: syntax error at src/pages/languages.module.css:1:1",
      "Unclosed block",
      "> 1 | .languages {",
      "    | ^",
      "  2 | ",
      "",
      "hello: syntax error at src/languages.ts:1:26",
      "Expression expected",
      "> 1 | export const LANGUAGES = ;",
      "    |                          ^",
      "  2 | ",
      "",
    ].join("\n"),
  );
});

test.each(COMMANDS)("%s accepts a release of unchanged sources and refuses it after an edit", async (command) => {
  expect(await runSection(built, [command])).toMatchObject({ code: 0, err: "" });
  expect(admin.requests).toHaveLength(1);
  admin.requests = [];
  const folder = await builtSection();
  await writeFiles(folder, EDIT);
  await expectOutdated(folder, command, `hello@${version}`, "colonnade build");

  // A release without sources is not compared.
  const alone = await temporaryFolder();
  await cp(path.join(built, "release"), path.join(alone, "release"), { recursive: true });
  await rm(path.join(alone, "release/inputs.json"));
  expect(await runSection(alone, [command])).toMatchObject({ code: 0, err: "" });
});

test("a release is accepted after its edit is undone", async () => {
  const folder = await builtSection();
  const source = await readFile(path.join(folder, "src/languages.ts"));
  await writeFiles(folder, EDIT);
  await writeFiles(folder, { "src/languages.ts": source });
  expect((await runSection(folder, ["publish"])).code).toBe(0);
});

test("a release without inputs.json is refused if it has sources", async () => {
  const folder = await builtSection();
  const file = path.join(folder, "release/inputs.json");
  await rm(file);
  expect(await runSection(folder, ["publish"])).toEqual(
    failure(`${file} is missing; delete release/ and run \`colonnade build\` again`),
  );
});

test("a named release is deployed even if release/ is outdated", async () => {
  const folder = await builtSection();
  await writeFiles(folder, EDIT);
  expect((await runSection(folder, ["deploy", `hello@${version}`])).code).toBe(0);
  expect(jsonBody(onlyRequest())).toEqual({ releases: { hello: version } });
});

test("a final release is always built, and refused after an edit", async () => {
  const folder = await helloSection({ "release/release.json": JSON.stringify({ ...release, version: "0.1.0" }) });
  expect((await runCompiled(folder, ["build", "--final"])).out).toMatch(/^built hello@0\.1\.0: /);
  expect((await runSection(folder, ["publish"])).out).toBe("hello@0.1.0 is published\n");
  admin.requests = [];
  await writeFiles(folder, EDIT);
  await expectOutdated(folder, "publish", "hello@0.1.0", "colonnade build --final");
});

describe("a release is refused after an edit outside of the package", () => {
  let folder: string;
  let release: string;
  const files = {
    "shared/package.json": '{ "name": "shared", "type": "module" }',
    "shared/words.ts": 'export const WORDS = "Hello";',
    "base/tsconfig.json": '{ "compilerOptions": {} }',
    "settings/entry.js": 'export { ENTRY } from "./names.js";',
    "settings/names.js": 'export const ENTRY = "./src/section.ts";',
  };
  beforeAll(async () => {
    folder = await helloSection({
      "tsconfig.json": '{ "extends": "../base/tsconfig.json" }',
      "section.config.js":
        'import { ENTRY } from "../settings/entry.js";\nexport default { name: "hello", entry: ENTRY };',
      "src/greetings.ts":
        'import { WORDS } from "../../shared/words";\nexport const GREETINGS: Record<string, string> = { Dutch: WORDS, "Te Reo Māori": WORDS, Welsh: WORDS };',
    });
    await writeFiles(path.dirname(folder), files);
    release = `hello@${await buildRelease(folder)}`;
  });

  test("the next build is up to date", async () => {
    expect((await runCompiled(folder, ["build"])).out).toBe(`${release} is up to date\n`);
  });

  test.each(["shared/words.ts", "base/tsconfig.json", "settings/names.js"])("%s", async (file) => {
    const source = files[file as keyof typeof files];
    await writeFiles(path.dirname(folder), { [file]: `${source}\n` });
    await expectOutdated(folder, "publish", release, "colonnade build");
    await writeFiles(path.dirname(folder), { [file]: source });
    expect((await runSection(folder, ["publish"])).code).toBe(0);
  });
});

test("a shell built for development is refused after an edit", async () => {
  const folder = await helloSection({
    "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/section.ts" };',
  });
  const mode = { final: false, development: true };
  const identity = await identify(folder, await loadConfig(folder), mode);
  const shell = { ...release, name: "shell", kind: "shell", version: identity.version, files: [] };
  await writeFiles(folder, { "release/release.json": JSON.stringify(shell) });
  await writeInputs(path.join(folder, "release"), identity, mode, [], undefined);
  const reference = `shell@${identity.version}`;
  expect((await runSection(folder, ["publish"])).out).toBe(`${reference} is published\n`);
  admin.requests = [];
  await writeFiles(folder, EDIT);
  await expectOutdated(folder, "publish", reference, "colonnade build --development");
});

import { readFile } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { defineConfig, loadConfig, UsageError } from "./config.js";
import { OWN_META } from "./meta.js";
import { FEATURES, HASH, HOST, MAX_VALUES, SCHEMES } from "./policy.js";

const ROOT = path.resolve(import.meta.dirname, "../../../..");

declare module "@colonnade/kit" {
  interface Facts {
    readonly testPhone?: string;
    readonly testHours?: readonly string[];
  }
}

interface Config {
  readonly testLimit?: number;
}

async function packageWith(config: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    "package.json": '{ "type": "module" }',
    "section.config.js": `export default ${config};\n`,
    "src/section.ts": "",
    "src/icon.svg": "",
  });
  return folder;
}

test("loadConfig reads the configuration and sets the default kind", async () => {
  const folder = await packageWith('{ name: "hello", entry: "./src/section.ts" }');
  expect(await loadConfig(folder)).toEqual({ name: "hello", entry: "./src/section.ts", kind: "section" });
});

test("loadConfig reads the shell's configuration", async () => {
  const facts = { company: "string", year: "number", open: "boolean", offices: "string[]" };
  const meta = { rating: "general", "google-site-verification": "token" };
  const shell = { name: "shell", kind: "shell", entry: "./src/section.ts", icon: "./src/icon.svg", facts, meta };
  expect(await loadConfig(await packageWith(JSON.stringify(shell)))).toEqual(shell);
});

test("loadConfig returns the policy that documents need", async () => {
  const hash = `sha256-${"a+/1".repeat(10)}abc=`;
  const hosts = ["cdn.example.com", "*.example.com:8443", "localhost:3000", "127.0.0.1"];
  const policy = {
    images: [...hosts, "blob:", "data:"],
    fonts: ["data:"],
    frames: [],
    styleAttributes: true,
    styleElements: [hash],
    features: ["geolocation", "fullscreen"],
    trustedTypes: "report",
  };
  const hello = { name: "hello", kind: "section", entry: "./src/section.ts", policy };
  expect(await loadConfig(await packageWith(JSON.stringify(hello)))).toEqual(hello);
});

test("all problems of a configuration are reported", async () => {
  const folder = await packageWith(
    '{ name: "Hello", entry: "./gone.ts", budgets: {}, facts: { a: 1 }, budget: { scriptKib: 0 } }',
  );
  const error: unknown = await loadConfig(folder).catch(String);
  const found = [
    'unknown key "budgets"; did you mean "budget"?',
    'name is "Hello"',
    "entry is",
    "facts.a is 1",
    "budget.scriptKib is 0",
  ];
  expect(String(error).split("\n")).toEqual(
    found.map((text) => expect.stringContaining(`section.config.js: ${text}`) as string),
  );
});

test("defineConfig has the types of settings that the program declares, and any of others", () => {
  const hello = { name: "hello", entry: "./src/section.ts" };
  const facts = { testPhone: "string", testHours: "string[]", other: "number[]" } as const;
  const config = { testLimit: "number", other: "string" } as const;
  expect(defineConfig<Config>({ ...hello, facts, config })).toEqual({ ...hello, facts, config });
  // A section without a type of its values.
  defineConfig({ ...hello, facts, config: { testLimit: "string[]" } });
  // @ts-expect-error -- The fact is declared as a string.
  defineConfig({ ...hello, facts: { testPhone: "number" } });
  // @ts-expect-error -- The fact is declared as a list of strings.
  defineConfig({ ...hello, facts: { testHours: "string" } });
  // @ts-expect-error -- Lists have a type of elements.
  defineConfig({ ...hello, facts: { other: "list" } });
  // @ts-expect-error -- The value is declared as a number.
  defineConfig<Config>({ ...hello, config: { testLimit: "string" } });
});

test("loadConfig keeps define and webpack", async () => {
  const folder = await packageWith(`{
    name: "hello",
    entry: "./src/section.ts",
    define: { $A1: { list: [1, "two", null], yes: true } },
    webpack: (configuration, { side }) => ({ ...configuration, name: side }),
  }`);
  const { define, webpack } = await loadConfig(folder);
  expect(define).toEqual({ $A1: { list: [1, "two", null], yes: true } });
  expect(webpack?.({ mode: "none" }, { side: "client" })).toEqual({ mode: "none", name: "client" });
});

test("loadConfig rejects a folder without a configuration", async () => {
  const folder = await temporaryFolder();
  await expect(loadConfig(folder)).rejects.toThrow(
    new UsageError(`${folder} has no section.config.js; run this in the folder of a section`),
  );
});

const HELLO = '{ name: "hello", entry: "./src/section.ts" }';

test.each(["package.json", "tsconfig.json", "postcss.config.json"])(
  "loadConfig rejects a byte order mark in %s",
  async (file) => {
    const folder = await packageWith(HELLO);
    await writeFiles(folder, { [file]: '\uFEFF{ "type": "module" }' });
    await expect(loadConfig(folder)).rejects.toThrow(
      new UsageError(
        `${path.join(folder, file)} begins with a byte order mark, which JSON forbids; save it as UTF-8 without one`,
      ),
    );
  },
);

test.each(["!", "?"])("loadConfig rejects a folder whose path contains %s", async (character) => {
  const folder = path.join(await packageWith(HELLO), `a${character}b`);
  await writeFiles(folder, { "section.config.js": "" });
  await expect(loadConfig(folder)).rejects.toThrow(
    new UsageError(`${folder} contains "${character}", which webpack reserves; use a path without "!" and "?"`),
  );
});

test.each(["src/in!ner/a.css", "src/wh?t/a.css", "src/what?.ts"])("loadConfig rejects the file %s", async (file) => {
  const folder = await packageWith(HELLO);
  const ignored = { "node_modules/a!/index.js": "", ".cache/what?/data": "", "release/what?.js": "" };
  await writeFiles(folder, ignored);
  await expect(loadConfig(folder)).resolves.toMatchObject({ name: "hello" });
  await writeFiles(folder, { [file]: "" });
  const [character] = /[!?]/.exec(file) ?? [];
  await expect(loadConfig(folder)).rejects.toThrow(
    new UsageError(
      `${path.join(folder, file)} contains "${String(character)}", which webpack reserves; use a path without "!" and "?"`,
    ),
  );
});

const NAME_EXPECTED = 'expected a lowercase letter followed by up to 31 of a-z, 0-9 and "-"';
const ENTRY_EXPECTED = "expected the path of the entry module";
const ICON_EXPECTED = "expected the path of the favicon";
const FACTS_EXPECTED = "expected one of string, number, boolean, string[], number[], boolean[]";
const EXPOSES_EXPECTED = 'expected { "./Name": "./src/Name.tsx" }';
const HOSTS_EXPECTED = 'expected a list of at most 32 hosts, such as "cdn.example.com" or "*.example.com"';
const IMAGES_EXPECTED = `${HOSTS_EXPECTED}, or "blob:", or "data:"`;
const POLICY_KEYS =
  "images, fonts, connections, frames, media, styleAttributes, styleElements, workers, features, trustedTypes";
const META_EXPECTED = "expected { name: content }";
const OF_SHELL = 'is only for a shell; remove it, or set kind: "shell"';
const OF_SECTION = "is only for a section; remove it";

test("the gateway rejects the same names of meta tags", async () => {
  const gateway = await readFile(path.join(ROOT, "gateway/crates/model/src/release/validate.rs"), "utf8");
  const [, list = ""] = /OWN_META: \[&str; \d+\] = \[([^\]]+)\]/.exec(gateway) ?? [];
  expect([...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)).toEqual(OWN_META);
});

test("the gateway denies the same features", async () => {
  const gateway = await readFile(path.join(ROOT, "gateway/crates/model/src/policy.rs"), "utf8");
  const [, list = ""] = /FEATURES: \[&str; \d+\] = \[([^\]]+)\]/.exec(gateway) ?? [];
  expect([...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)).toEqual(FEATURES);
});

test("the schema of releases rejects the same policies", async () => {
  const schema: unknown = JSON.parse(await readFile(path.join(ROOT, "docs/spec/release.schema.json"), "utf8"));
  const styleElements = { maxItems: MAX_VALUES, items: { pattern: HASH } };
  const hosts = { maxItems: MAX_VALUES, items: { pattern: HOST } };
  const schemesOf = (pattern: object) => ({ items: { anyOf: [pattern, { $ref: "#/$defs/hosts/items" }] } });
  const hostsOrSchemes = schemesOf({ enum: SCHEMES.images });
  const fonts = schemesOf({ const: "data:" });
  const features = { maxItems: MAX_VALUES, items: { enum: FEATURES } };
  const properties = { styleElements, fonts, features };
  expect(schema).toMatchObject({ $defs: { hosts, hostsOrSchemes, policy: { properties } } });
});

test.each([
  ["5", "expected a default export made by defineConfig({ name, entry })"],
  ["null", "expected a default export made by defineConfig({ name, entry })"],
  [
    '{ name: "hello", entry: "./src/section.ts", port: 1 }',
    'unknown key "port"; expected name, entry, kind, facts, policy, define, build, config, exposes, federation, budget, sourceMaps, webpack, shared, icon, meta, icons, socialImage, themeColor',
  ],
  ['{ name: "hello", entry: "./src/section.ts", nmae: 1 }', 'unknown key "nmae"; did you mean "name"?'],
  ...[
    "https://a.example",
    "a.example/b",
    "a.b; x",
    "*",
    "*.com",
    "'unsafe-inline'",
    "blob:",
    "data:x",
    "A.example",
    "a.b:0",
    "a.b:65536",
  ].map((host) => [
    `{ name: "hello", entry: "./src/section.ts", policy: { fonts: [${JSON.stringify(host)}] } }`,
    `policy.fonts is [${JSON.stringify(host)}]; ${HOSTS_EXPECTED}, or "data:"`,
  ]),
  ...[
    ["policy: []", 'policy is []; expected { images: ["cdn.example.com"] }'],
    ["policy: { images: true }", `policy.images is true; ${IMAGES_EXPECTED}`],
    [
      `policy: { media: Array(33).fill("a.b") }`,
      `policy.media is ${JSON.stringify(Array(33).fill("a.b"))}; ${IMAGES_EXPECTED}`,
    ],
    ['policy: { connections: ["data:"] }', `policy.connections is ["data:"]; ${HOSTS_EXPECTED}`],
    ["policy: { scripts: [] }", `policy has the unknown key "scripts"; expected ${POLICY_KEYS}`],
    ["policy: { font: [] }", 'policy has the unknown key "font"; did you mean "fonts"?'],
    ['policy: { workers: "yes" }', 'policy.workers is "yes"; expected a boolean'],
    [
      'policy: { styleElements: ["a"] }',
      'policy.styleElements is ["a"]; expected a boolean, or a list of at most 32 hashes, such as "sha256-…"',
    ],
    [
      'policy: { features: ["camera", "clipboard-read"] }',
      `policy.features is ["camera","clipboard-read"]; expected a list of ${FEATURES.join(", ")}`,
    ],
    [
      'policy: { features: ["camera", "geo-location"] }',
      'policy.features is ["camera","geo-location"]; did you mean "geolocation"?',
    ],
    ["policy: { trustedTypes: true }", 'policy.trustedTypes is true; expected "enforce" or "report"'],
  ].map(([member = "", message = ""]) => [`{ name: "hello", entry: "./src/section.ts", ${member} }`, message]),
  ['{ entry: "./src/section.ts" }', `name is undefined; ${NAME_EXPECTED}`],
  ['{ name: "Hello", entry: "./src/section.ts" }', `name is "Hello"; ${NAME_EXPECTED}`],
  ['{ name: "1st", entry: "./src/section.ts" }', `name is "1st"; ${NAME_EXPECTED}`],
  [`{ name: "${"a".repeat(33)}", entry: "./src/section.ts" }`, `name is "${"a".repeat(33)}"; ${NAME_EXPECTED}`],
  ['{ name: "hello", kind: "page", entry: "./src/section.ts" }', 'kind is "page"; expected "section" or "shell"'],
  [
    '{ name: "shell", entry: "./src/section.ts" }',
    'name is "shell" and kind is "section"; the shell needs both to be "shell", a section neither',
  ],
  [
    '{ name: "hello", kind: "shell", entry: "./src/section.ts" }',
    'name is "hello" and kind is "shell"; the shell needs both to be "shell", a section neither',
  ],
  ['{ name: "hello" }', `entry is undefined; ${ENTRY_EXPECTED}`],
  [
    '{ name: "hello", entry: "./src/nowhere.ts" }',
    `entry is "./src/nowhere.ts", which does not exist; ${ENTRY_EXPECTED}`,
  ],
  ['{ name: "hello", entry: "./src" }', `entry is "./src", which is no file; ${ENTRY_EXPECTED}`],
  ['{ name: "shell", kind: "shell", entry: "./src/section.ts", icon: 5 }', `icon is 5; ${ICON_EXPECTED}`],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", icon: "./x.svg" }',
    `icon is "./x.svg", which does not exist; ${ICON_EXPECTED}`,
  ],
  ['{ name: "hello", entry: "./src/section.ts", icon: "./src/icon.svg" }', `icon ${OF_SHELL}`],
  ['{ name: "hello", entry: "./src/section.ts", facts: [] }', "facts is []; expected { name: type }"],
  ['{ name: "hello", entry: "./src/section.ts", config: "/api" }', 'config is "/api"; expected { name: type }'],
  [
    '{ name: "hello", entry: "./src/section.ts", config: { endpoint: "/api" } }',
    `config.endpoint is "/api"; ${FACTS_EXPECTED}`,
  ],
  ['{ name: "shell", kind: "shell", entry: "./src/section.ts", config: {} }', `config ${OF_SECTION}`],
  [
    '{ name: "hello", entry: "./src/section.ts", facts: { year: "number", phone: "list" } }',
    `facts.phone is "list"; ${FACTS_EXPECTED}`,
  ],
  [
    '{ name: "hello", entry: "./src/section.ts", facts: { "support phone": "string" } }',
    'facts has the name "support phone"; expected a letter followed by up to 63 letters, digits and "_"',
  ],
  ['{ name: "hello", entry: "./src/section.ts", exposes: ["./A"] }', `exposes is ["./A"]; ${EXPOSES_EXPECTED}`],
  ['{ name: "shell", kind: "shell", entry: "./src/section.ts", exposes: {} }', `exposes ${OF_SECTION}`],
  [
    '{ name: "hello", entry: "./src/section.ts", exposes: { PriceTag: "./src/section.ts" } }',
    'exposes has the name "PriceTag"; expected "./" and a name of letters, digits, "-", "_" and "/", such as "./PriceTag"',
  ],
  [
    '{ name: "hello", entry: "./src/section.ts", exposes: { "./section": "./src/section.ts" } }',
    'exposes has the name "./section", which is the section itself; choose another name',
  ],
  [
    '{ name: "hello", entry: "./src/section.ts", exposes: { "./a/B-1": "./src/nowhere.tsx" } }',
    'exposes["./a/B-1"] is "./src/nowhere.tsx", which does not exist; expected the path of a module, relative to the package',
  ],
  [
    '{ name: "hello", entry: "./src/section.ts", federation: "vite" }',
    'federation is "vite"; expected "webpack" or "enhanced"',
  ],
  ['{ name: "hello", entry: "./src/section.ts", sourceMaps: "hidden" }', 'sourceMaps is "hidden"; expected a boolean'],
  ['{ name: "hello", entry: "./src/section.ts", meta: { a: "b" } }', `meta ${OF_SHELL}`],
  ['{ name: "shell", kind: "shell", entry: "./src/section.ts", meta: "a" }', `meta is "a"; ${META_EXPECTED}`],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", meta: { a: 1 } }',
    'meta["a"] is 1; expected a text without control characters',
  ],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", meta: { "a b": "c" } }',
    'meta has the name "a b"; expected at most 64 letters, digits, "-", "_", "." and ":"',
  ],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", meta: { rating: "general", Robots: "noindex" } }',
    'meta has the name "Robots", which the gateway or the page\'s head writes; choose another name',
  ],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", icons: [{ file: "a.png", purpose: "all" }] }',
    `icons is [{"file":"a.png","purpose":"all"}]; expected a list of { file, purpose } with purpose any, maskable or touch`,
  ],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", socialImage: { file: "a.png" } }',
    `socialImage is {"file":"a.png"}; expected { file, alt }`,
  ],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", themeColor: { light: "#fff", dark: "#000000" } }',
    `themeColor is {"light":"#fff","dark":"#000000"}; expected { light, dark }, each #rrggbb`,
  ],
  ['{ name: "hello", entry: "./src/section.ts", icons: [] }', `icons ${OF_SHELL}`],
  [
    '{ name: "hello", entry: "./src/section.ts", budget: { scripts: 48 } }',
    'budget has the unknown key "scripts"; expected scriptKib, styleKib',
  ],
  ['{ name: "hello", entry: "./src/section.ts", budget: 48 }', "budget is 48; expected { scriptKib, styleKib }"],
  [
    '{ name: "hello", entry: "./src/section.ts", budget: { scriptKib: -1 } }',
    "budget.scriptKib is -1; expected a positive number",
  ],
  ['{ name: "shell", kind: "shell", entry: "./src/section.ts", budget: { scriptKib: 48 } }', `budget ${OF_SECTION}`],
  ['{ name: "hello", entry: "./src/section.ts", define: [1] }', "define is [1]; expected { NAME: value }"],
  [
    '{ name: "hello", entry: "./src/section.ts", define: { "process.env.KEY": 1 } }',
    'define has the name "process.env.KEY"; expected an identifier',
  ],
  [
    '{ name: "hello", entry: "./src/section.ts", define: { WHEN: [new Date(0)] } }',
    "define.WHEN is not a JSON value; expected a string, a finite number, a boolean, null, or a list or object of these",
  ],
  ['{ name: "hello", entry: "./src/section.ts", webpack: {} }', "webpack is {}; expected a function"],
  [
    '{ name: "shell", kind: "shell", entry: "./src/section.ts", webpack: (configuration) => configuration }',
    `webpack ${OF_SECTION}`,
  ],
])("loadConfig rejects %s", async (config, problem) => {
  const folder = await packageWith(config);
  const file = path.join(folder, "section.config.js");
  await expect(loadConfig(folder)).rejects.toThrow(new UsageError(`${file}: ${problem}`));
});

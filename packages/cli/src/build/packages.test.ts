// Builds one section that imports every kind of file and package that a React project can.
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { build, UsageError, type Release } from "@colonnade/cli";
import { beforeAll, describe, expect, test } from "vitest";
import webpack from "webpack";

import { helloSection, type Files } from "../../fixtures/temporary.js";
import { loadConfig } from "./config.js";
import { serverConfiguration } from "./webpack.js";

const FILE_TYPES = {
  avif: "image/avif",
  gif: "image/gif",
  ico: "image/vnd.microsoft.icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
};
const ENDINGS = Object.keys(FILE_TYPES);

/** Contents of a file whose hash in a file name has only digits. Webpack has several ways to shorten such a hash. */
function numericallyHashed(): string {
  for (let number = 0; ; number += 1) {
    const text = `image ${String(number)}`;
    if (/^\d{8}/.test(webpack.util.createHash("md4").update(text).digest("hex"))) return text;
  }
}

function packageFiles(name: string, exports: object, files: Files, more: object = {}): Files {
  const contents = { "package.json": JSON.stringify({ name, version: "1.0.0", exports, ...more }), ...files };
  return Object.fromEntries(Object.entries(contents).map(([file, text]) => [`src/node_modules/${name}/${file}`, text]));
}

const FOR_BROWSER = "window.title; export default 'for browsers';";
const FOR_NODE = "process.version; export default 'for Node.js';";
const PACKAGES: Files = {
  ...packageFiles(
    "conditional",
    {
      browser: "./browser.mjs",
      node: "./node.mjs",
      "edge-light": "./edge.mjs",
      worker: "./worker.mjs",
      import: "./node.mjs",
      require: "./node.mjs",
      default: "./browser.mjs",
    },
    {
      "browser.mjs": FOR_BROWSER,
      "node.mjs": FOR_NODE,
      "edge.mjs": "export default 'for edges';",
      "worker.mjs": FOR_NODE,
    },
  ),
  ...packageFiles(
    "for-workers",
    { worker: "./worker.mjs", node: "./node.mjs", default: "./browser.mjs" },
    { "browser.mjs": FOR_BROWSER, "node.mjs": FOR_NODE, "worker.mjs": "export default 'for workers';" },
  ),
  ...packageFiles(
    "with-default",
    { browser: "./browser.mjs", node: "./node.mjs", default: "./default.mjs" },
    { "browser.mjs": FOR_BROWSER, "node.mjs": FOR_NODE, "default.mjs": "export default 'by default';" },
  ),
  // An ES module whose imports have no extension, and a CommonJS module that requires JSON.
  ...packageFiles(
    "older",
    { import: "./index.mjs" },
    {
      "index.mjs": "export { default } from './common'; export const mode = () => process.env.NODE_ENV + LABEL.name;",
      "common.js": "module.exports = require('./data').value;",
      "data.json": '{ "value": "required JSON" }',
    },
  ),
};

const SOURCES: Files = {
  "section.config.js": `export default {
  name: "hello",
  entry: "./src/section.ts",
  define: { LABEL: { name: "declared", list: [1, null] } },
  webpack(configuration, { side }) {
    configuration.resolve.alias = { ...configuration.resolve.alias, "which-side": \`\${configuration.context}/src/\${side}.js\` };
    configuration.module.rules.push({ test: /\\.shout$/, type: "asset/source" });
    return configuration;
  },
};`,
  "tsconfig.json": `{
  // Comments and trailing commas are valid here.
  "extends": "./tsconfig.base.json",
  "compilerOptions": { "strict": true, },
}`,
  "tsconfig.base.json":
    '{ "compilerOptions": { "baseUrl": "./src", "paths": { "@/*": ["./*"], "@names": ["./lib/names.mts"] } } }',
  "postcss.config.mjs": `import tailwind from "@tailwindcss/postcss";
export default {
  plugins: [tailwind(), { postcssPlugin: "test", Declaration(node) { if (node.value === "replaced") node.value = "inherit"; } }],
};`,
  // Runs with the example's vitest.config.ts.
  "src/section.test.tsx": `import { expect, test } from "vitest";
import names from "@names";
import lib from "@/lib/common.cjs";
import raw from "./files/text.txt?raw";
import url from "./files/text.txt?url";
import image from "./files/file.png";
import yaml from "./files/data.yaml";
import { Twice } from "./Twice.jsx";
import About from "./about.md";
import Text from "./text.mdx";
import css from "./styles/card.module.css";
import "./styles/plain.scss";
test("imports", () => {
  expect([names, lib, raw, yaml, css.card]).toEqual([["mts"], { kind: "cjs" }, "<raw text>", { kind: "YAML", list: [1, 2] }, "card"]);
  expect([url, image]).toEqual([expect.stringContaining("/text.txt"), expect.stringContaining("/file.png")]);
  expect([typeof Twice, typeof About, typeof Text, LABEL.name]).toEqual(["function", "function", "function", "declared"]);
});`,
  "src/section.ts": `import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "hello", contract: 1, pages: { "/hello": () => import("./page") } });`,
  "src/page.jsx": `import { definePage } from "@colonnade/kit";
import { facts } from "./facts";
import { Twice } from "./Twice.jsx";
import { label, mode, start } from "./label";
export { facts };
export const page = definePage({
  data: () => facts,
  paths: () => ["/hello"],
  head: () => ({ title: "Files", description: "All files.", canonical: "/hello" }),
  Component: ({ data }) => <button className="p-[7px]" onClick={() => { start(); document.title = label() + mode(); }}><Twice>{data.raw}</Twice></button>,
});`,
  "src/Twice.jsx": "export const Twice = ({ children }) => <h1>{children}{children}</h1>;",
  "src/label.ts": `import { mode } from "older";
declare const LABEL: { readonly name: string };
export const identity = <T>(value: T) => value;
export const start = () => new Worker(new URL("./worker.ts", import.meta.url));
class CheckoutError extends Error {}
export const failure = () => new CheckoutError("none in stock");
export const label = () => identity(LABEL.name) + (process.env.NODE_ENV === "production" ? "in production" : "elsewhere");
export { mode };`,
  "src/facts.ts": `${ENDINGS.map((ending) => `import file_${ending} from "./files/file.${ending}";`).join("\n")}
import numeric from "./files/numeric.png";
import spaced from "./files/My photo (1).JPG";
import raw from "./files/text.txt?raw";
import rawScript from "./Twice.jsx?raw";
import url from "./files/text.txt?url";
import json from "./files/data.json";
import yaml from "./files/data.yaml";
import shout from "./files/data.shout";
import { frontmatter, price } from "./text.mdx";
import names from "@names";
import lib from "@/lib/common.cjs";
import { fromModule } from "lib/module.mjs";
import css from "./styles/card.module.css";
import scss from "./styles/theme.module.scss";
import "./styles/plain.scss";
import "./styles/tailwind.css";
import applied from "./styles/applied.module.css";
import conditional from "conditional";
import forWorkers from "for-workers";
import withDefault from "with-default";
import older from "older";
import side from "which-side";
import { failure } from "./label";
export const facts = {
  failure: String(failure()),
  files: { ${ENDINGS.map((ending) => `${ending}: file_${ending}`).join(", ")} },
  numeric, spaced, raw, rawScript, url, json, yaml, shout, mdx: [frontmatter, price], names, lib, fromModule, older, side,
  addressed: new URL("./files/file.png", import.meta.url).href,
  data: new URL("./files/data.bin", import.meta.url).href,
  classes: { ...css, ...scss, ...applied },
  packages: [conditional, forWorkers, withDefault],
};`,
  ...Object.fromEntries(ENDINGS.map((ending) => [`src/files/file.${ending}`, `file ${ending}`])),
  "src/files/numeric.png": numericallyHashed(),
  "src/files/My photo (1).JPG": "photo",
  "src/files/text.txt": "<raw text>",
  "src/files/data.bin": "binary",
  "src/files/data.json": '{ "kind": "JSON" }',
  "src/files/data.yaml": "kind: YAML\nlist: [1, 2]\n",
  "src/files/data.shout": "SHOUT",
  "src/lib/names.mts": "const names: readonly string[] = ['mts']; export default names;",
  "src/lib/common.cjs": "module.exports = { kind: 'cjs' };",
  "src/lib/module.mjs": "export { kind as fromModule } from './kind';",
  "src/lib/kind.js": "export const kind = 'mjs';",
  "src/client.js": "export default 'client';",
  "src/server.js": "export default 'server';",
  "src/styles/card.module.css": ".card { color: replaced; background: url(../files/file.png); }",
  "src/styles/_colors.scss": "$accent: #b4d455;",
  "src/styles/theme.module.scss": "@use 'colors'; .theme { .inner { color: colors.$accent; float: replaced; } }",
  "src/styles/tailwind.css": '@import "tailwindcss"; @source inline("animate-spin shadow-md");',
  "src/styles/applied.module.css": '@reference "tailwindcss"; .applied { @apply shadow-md; }',
  "src/worker.ts": 'postMessage("from the worker");',
  "src/about.md": "About {brand}.",
  "src/text.mdx":
    "---\ntitle: Tea\n---\n\nimport { Twice } from './Twice.jsx'\n\nexport const price = 3;\n\n<Twice>{price}</Twice>",
  "src/styles/plain.scss": ".hello_plain { .nested { width: 1px + 2px; } }",
};

// Another section, with the configuration of Tailwind's documentation.
const OTHER: Files = {
  "postcss.config.json": '{ "plugins": { "@tailwindcss/postcss": {} } }',
  "src/section.ts": SOURCES["src/section.ts"] ?? "",
  "src/tailwind.css": '@import "tailwindcss";',
  "src/page.jsx": `import { definePage } from "@colonnade/kit";
import "./tailwind.css";
export const page = definePage({
  data: () => null,
  paths: () => ["/hello"],
  head: () => ({ title: "Other", description: "Another section.", canonical: "/hello" }),
  Component: () => <h1 className="p-[13px]">Other</h1>,
});`,
};

let folder: string;
let release: Release;
let client: string;
let styles: string;
let otherStyles: string;
let server: string;
let facts: Record<string, unknown>;
beforeAll(async () => {
  folder = await helloSection({ ...SOURCES, ...PACKAGES });
  const other = await helloSection(OTHER);
  const [built, builtOther] = await Promise.all([build(folder, { final: false }), build(other, { final: false })]);
  ({ release } = built);
  otherStyles = await textsOf(other, builtOther.release, ".css");
  [client, styles] = [await textsOf(folder, release, ".js"), await textsOf(folder, release, ".css")];
  server = await readFile(path.join(folder, "release/server/index.js"), "utf8");
  facts = await dataOfPage();
});

async function textsOf(section: string, { files }: Release, ending: string): Promise<string> {
  const found = files.filter((file) => file.path.startsWith("client/") && file.path.endsWith(ending));
  return (await Promise.all(found.map((file) => readFile(path.join(section, "release", file.path), "utf8")))).join("");
}

/** Returns the data of the page `/hello`, from the section's server module. */
async function dataOfPage(): Promise<Record<string, unknown>> {
  const main = `import section from "./release/server/index.js";
const { page } = await section.pages["/hello"]();
process.stdout.write(JSON.stringify(page.data({})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", main], {
    cwd: folder,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The URLs of the release's public files with this name, without the hash. */
function urlsOf(name: string): string[] {
  const { name: stem, ext } = path.parse(name);
  return release.files
    .filter((file) => file.path.replace(/\.[0-9a-f]{8}(?=\.\w+$)/, "") === `client/${stem}${ext}`)
    .map((file) => `/assets/hello/${release.version}/${file.path.slice("client/".length)}`);
}

test("an image, medium or font is its URL on both sides", () => {
  const files = ENDINGS.map((ending) => [ending, urlsOf(`file.${ending}`)]);
  expect(facts.files).toEqual(Object.fromEntries(files.map(([ending, urls]) => [ending, urls?.[0]])));
  for (const [ending, urls] of files) {
    expect(urls, String(ending)).toHaveLength(1);
    expect(client, String(ending)).toContain(path.basename(String(urls?.[0])));
  }
});

test("a file has its MIME type and exists only on the client", () => {
  const types = release.files.map((file) => [path.extname(file.path).slice(1).toLowerCase(), file.type]);
  expect(Object.fromEntries(types)).toMatchObject(FILE_TYPES);
  const onServer = release.files.filter((file) => /^server\/(?!maps\/)/.test(file.path));
  expect(onServer.map((file) => file.path)).toEqual(["server/index.js"]);
});

test("a file with an unusual name or hash has one URL", () => {
  expect([facts.spaced]).toEqual(urlsOf("My-photo-1-.JPG"));
  expect([facts.numeric]).toEqual(urlsOf("numeric.png"));
  expect(client).toContain(path.basename(String(facts.numeric)));
});

test("new URL() of a file is the URL of its import", () => {
  expect([facts.addressed]).toEqual(urlsOf("file.png"));
  expect([facts.data]).toEqual(urlsOf("data.bin"));
  expect(styles).toContain(`url(${String(facts.addressed)})`);
});

test("?raw is the text of a file and ?url its URL", () => {
  expect(facts.raw).toBe("<raw text>");
  expect(facts.rawScript).toBe(SOURCES["src/Twice.jsx"]);
  expect(client).toContain("<raw text>");
  expect([facts.url]).toEqual(urlsOf("text.txt"));
});

test("JSON, YAML and MDX modules have their data", () => {
  expect(facts.json).toEqual({ kind: "JSON" });
  expect(facts.yaml).toEqual({ kind: "YAML", list: [1, 2] });
  expect(facts.mdx).toEqual([{ title: "Tea" }, 3]);
});

test("script modules of every kind and tsconfig paths resolve", () => {
  expect([facts.names, facts.lib, facts.fromModule]).toEqual([["mts"], { kind: "cjs" }, "mjs"]);
  expect(facts.older).toBe("required JSON");
});

test("Sass and PostCSS styles are scoped like CSS modules", () => {
  const { card, theme, inner } = facts.classes as Record<string, string>;
  expect([card, theme, inner]).toEqual(
    ["card", "theme", "inner"].map((name) => expect.stringMatching(new RegExp(`^hello_${name}_[\\w+-]{5}$`)) as string),
  );
  expect(styles).toContain(`.${String(card)}{color:inherit;`);
  expect(styles).toContain(`.${String(theme)} .${String(inner)}{color:#b4d455;float:inherit}`);
  expect(styles).toContain(".hello_plain .nested{width:3px}");
  expect(server).not.toContain("3px");
});

test("Tailwind and plain styles apply only inside the section", () => {
  const scope = ":where(.hello_scope)";
  expect(styles).toContain(`@layer hello_base{${scope} *,`);
  expect(styles).toContain(`${scope} .p-\\[7px\\]{padding:7px}`);
  expect(styles).toContain("@property --hello_tw-shadow{");
  expect(styles).toContain("@keyframes hello_spin{");
  expect(styles).toContain(`.${String((facts.classes as Record<string, string>).applied)}{--hello_tw-shadow:`);
  expect(styles).not.toMatch(/[};](:root|html|body|\*)[{,]|--tw-/);
});

test("Tailwind reads the files of its section, in any working directory", () => {
  expect(styles).not.toContain("13px");
  expect(otherStyles).toContain(":where(.hello_scope) .p-\\[13px\\]{padding:13px}");
  expect(otherStyles).not.toContain("7px");
});

// If it keeps the name of a class, the minifier may give it to another variable, too.
test("a class loses its name", () => {
  expect(facts.failure).toBe("Error: none in stock");
  expect(client + server).not.toContain("CheckoutError");
});

test("a worker is a file of the client build only", () => {
  expect(client).toContain('postMessage("from the worker")');
  expect(server).not.toContain("from the worker");
});

test("a section's tests import files as the build does", async () => {
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
  const run = promisify(execFile)(process.execPath, [vitest, "run", "--reporter=json"], { cwd: folder });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 1 });
});

test("constants are replaced on both sides", () => {
  for (const text of [client, server]) {
    expect(text).toContain("declared");
    expect(text).toContain("in production");
    expect(text).not.toMatch(/elsewhere|NODE_ENV|LABEL/);
  }
});

test("webpack() changes both builds and knows their side", () => {
  expect([facts.shout, facts.side]).toEqual(["SHOUT", "server"]);
  expect(client).toMatch(/"client"/);
  expect(client).not.toMatch(/"server"/);
});

test("packages with conditions get the code for the sandbox", () => {
  expect(facts.packages).toEqual(["for edges", "for workers", "by default"]);
  expect(server).not.toMatch(/for browsers|for Node/);
  expect(client.match(/for browsers/g)).toHaveLength(3);
});

test("Sass without its compiler and a worker with the kit are refused", async () => {
  const section = await helloSection({
    "src/languages.ts": `import "./plain.scss"; export const LANGUAGES = [];
export const start = () => new Worker(new URL("./worker.ts", import.meta.url));`,
    "src/plain.scss": ".plain { width: 1px }",
    "src/worker.ts": 'import "./helper";',
    "src/helper.ts": 'import { pathTo } from "@colonnade/kit"; postMessage(pathTo("/:a", { a: "b" }));',
  });
  const modules = path.join(section, "node_modules");
  await rm(modules);
  await mkdir(modules);
  for (const name of ["@colonnade", "react", "react-dom"])
    await symlink(path.resolve(import.meta.dirname, "../../../../node_modules", name), path.join(modules, name));
  const result = build(section, { final: false });
  await expect(result).rejects.toThrow(UsageError);
  await expect(result).rejects.toThrow("hello: build error at src/plain.scss\n");
  await expect(result).rejects.toThrow("this file needs the package sass; run `npm install --save-dev sass`");
  await expect(result).rejects.toThrow(
    "src/helper.ts runs in a web worker and imports @colonnade/kit, which only the page has",
  );
});

test("a release with all kinds of files has no local paths", () => {
  for (const text of [client, styles, server]) expect(text).not.toContain(folder);
});

describe("webpack() in section.config.js", () => {
  test.each([
    ["() => undefined", "returned undefined; expected the configuration"],
    ["() => []", "returned a list; expected the configuration"],
    ["async (configuration) => configuration", "returned a promise; expected the configuration"],
    ['() => { throw new TypeError("no rules"); }', "failed: TypeError: no rules"],
  ])("rejects %s", async (source, problem) => {
    const section = await helloSection({
      "section.config.js": `export default { name: "hello", entry: "./src/section.ts", webpack: ${source} };`,
    });
    const context = {
      folder: section,
      output: path.join(section, "release"),
      config: await loadConfig(section),
      identity: { version: "0.1.0", container: "hello", inputs: "" },
      installed: {},
      mode: { final: true },
    };
    const file = path.join(section, "section.config.js");
    expect(() => serverConfiguration(context)).toThrow(
      new UsageError(`${file}: webpack() of the server build ${problem}`),
    );
  });
});

// Sections that their own command builds. tests/ship deploys those of Vite and Rspack.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import path from "node:path";

import type { Release } from "@colonnade/cli";
import { expect, onTestFinished, test, vi } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, onlyRequest, runCompiled, runSection, TOKEN } from "../../fixtures/command.js";
import { helloSection, temporaryFolder, writeFiles, type Files } from "../../fixtures/temporary.js";
import { runCommand } from "../build/buildCommand.js";

const SECTION = `import { definePage, defineSection } from "@colonnade/kit";

const page = definePage({
  data: () => null,
  paths: () => ["/hello"],
  head: () => ({ title: "Hello", description: "A greeting.", canonical: "/hello" }),
  Component: () => <h1>Hello</h1>,
});

export default defineSection({ name: "hello", contract: 1, pages: { "/hello": async () => ({ page }) } });
`;
const MANIFEST = { entry: "client/entry.js", pages: [{ pattern: "/hello", assets: ["client/page.css"] }] };
const BUILD = `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { transformSync } from "@swc/core";

const { COLONNADE_CONTAINER, COLONNADE_VERSION, COLONNADE_ASSETS } = process.env;
const jsc = { parser: { syntax: "typescript", tsx: true }, target: "es2022", transform: { react: { runtime: "automatic" } } };
const options = { jsc, filename: "../../section.tsx", sourceMaps: true };
const { code, map } = transformSync(readFileSync("section.tsx", "utf8"), options);
for (const folder of ["client", "server"]) mkdirSync("dist/" + folder, { recursive: true });
writeFileSync("dist/server/index.js", code + "\\n//# sourceMappingURL=index.js.map\\n");
writeFileSync("dist/server/index.js.map", map);
const container = readFileSync("container.txt", "utf8").replace("CONTAINER", COLONNADE_CONTAINER);
writeFileSync("dist/client/entry.js", container + "// " + COLONNADE_VERSION + " " + COLONNADE_ASSETS);
writeFileSync("dist/client/page.css", readFileSync("page.css"));
writeFileSync("dist/release.json", readFileSync("manifest.json"));
`;

/** A section whose command compiles it with swc. */
function ownSection(files: Files = {}, build: object = {}): Promise<string> {
  const config = {
    name: "hello",
    entry: "./section.tsx",
    build: { command: "node build.js", output: "dist", ...build },
  };
  return helloSection({
    "section.config.js": `export default ${JSON.stringify(config)};`,
    "section.tsx": SECTION,
    "build.js": BUILD,
    "container.txt": "var CONTAINER = {};",
    "page.css": ".hello_a { color: red }",
    "manifest.json": JSON.stringify(MANIFEST),
    ...files,
  });
}

test("build takes what a command has written, and publish uploads it", async () => {
  const old = { "dist/client/old.js": "", "dist/server/old.js": "", "dist/old.html": "" };
  const folder = await ownSection(old);
  expect(await runCompiled(folder, ["check"])).toEqual({ code: 0, out: "hello follows the rules\n", err: "" });
  const { code, err } = await runCompiled(folder, ["build"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const read = async (): Promise<Release> =>
    JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8")) as Release;
  const { files, ...release } = await read();
  const { version, container = "" } = release;
  expect(version).toMatch(/^0\.1\.0-dev\./);
  expect(release).toMatchObject({
    entry: "client/entry.js",
    pages: [{ pattern: "/hello", assets: ["client/page.css"], paths: [{ path: "/hello", indexable: true }] }],
    modules: { section: "server/index.js" },
    shared: { react: "^19.3.1" },
  });
  expect(files.map((file) => file.path)).toEqual([
    "client/entry.js",
    "client/mf-manifest.json",
    "client/page.css",
    "server/index.js",
    "server/maps/server/index.js.map",
  ]);
  const map: unknown = JSON.parse(await readFile(path.join(folder, "release/server/maps/server/index.js.map"), "utf8"));
  expect(map).toMatchObject({ sources: ["section.tsx"], sourcesContent: [expect.stringContaining("A greeting")] });
  expect(await readFile(path.join(folder, "release/client/entry.js"), "utf8")).toBe(
    `var ${container} = {};// ${version} /assets/hello/${version}/`,
  );

  expect((await runCompiled(folder, ["build"])).out).toBe(`hello@${version} is up to date\n`);
  admin.requests = [];
  admin.response = jsonResponse({}, 201);
  expect((await runSection(folder, ["publish"])).code).toBe(0);
  expect(onlyRequest().line).toBe(`PUT /api/v1/sections/hello/releases/${version}`);
  await writeFiles(folder, { "section.tsx": SECTION.replace("A greeting", "Greetings") });
  expect((await runSection(folder, ["publish"])).err).toContain("run `colonnade build` first");
  await runCompiled(folder, ["build", "--final"]);
  expect((await read()).version).toBe("0.1.0");
});

const appWith = (basename: string): string => `import { BrowserRouter } from "react-router-dom";
const app = definePage({
  ...{ data: () => null, anyParams: true, browserOnly: true },
  head: () => ({ title: "App", description: "An app.", canonical: "/hello/app" }),
  fallback: () => "App",
  Component: () => BrowserRouter({ basename: ${basename} }),
});
`;
const OTHER_APP = `import { definePage } from "@colonnade/kit";
import { useBasename } from "@colonnade/kit/basename";
${appWith("useBasename()")}
export { app };
`;

test("check of a command's files finds violations, large and unlisted files and routers without basename", async () => {
  const folder = await ownSection({
    "section.tsx": SECTION.replace("<h1>Hello", "<h1>{Math.random()}")
      .replace(
        "pages: {",
        'pages: { "/hello/app/*": async () => ({ page: app }), "/hello/b/*": async () => ({ page: other }),',
      )
      .replace(
        "export default",
        `import { app as other } from "./other.js";\n${appWith('"/hello/app"')}export default`,
      ),
    "other.js": OTHER_APP,
    "page.css": "\nbody { color: red }",
    "build.js": `${BUILD}for (const name of ["list.js", "list.css", "dialog.js"]) writeFileSync("dist/client/" + name, "");\n  writeFileSync("dist/server/other.js", readFileSync("other.js"));`,
    "manifest.json": JSON.stringify({ ...MANIFEST, later: ["client/dialog.js"] }),
    "container.txt": `var CONTAINER = "${randomBytes(40_000).toString("hex")}";`,
  });
  const { code, err } = await runCompiled(folder, ["check"]);
  expect(code).toBe(3);
  expect(err).toContain("COL102 rendering /hello (page /hello) used Math.random()\n  at section.tsx:7:");
  expect(err).toContain("COL124 the selector body has no class");
  expect(err).toContain("  at dist/client/page.css:2:1\n");
  expect(err).toContain('COL157 the page "/hello/app/*" uses BrowserRouter of react-router-dom, but does not call');
  expect(err).toContain("  at section.tsx:11:1\n");
  expect(err).not.toContain('"/hello/b/*"');
  expect(err).toContain(
    "does not list these files, so no budget counts them: client/list.css 0.0 KiB, client/list.js 0.0 KiB\n",
  );
  expect(err).toMatch(/COL140 the page \/hello loads [\d.]+ KiB of scripts .*: entry\.js [\d.]+ KiB\n/);
});

test("what the policy blocks in a command's files for browsers is a warning", async () => {
  const folder = await ownSection({
    "container.txt": 'var CONTAINER = () => import("./part.js"); var root = Function("return this");\n',
    "part.js": 'import react from "react";\nexport const show = (element) => {\n  element.innerHTML = react;\n};\n',
    "build.js": `${BUILD}writeFileSync("dist/client/part.js", readFileSync("part.js"));`,
    "manifest.json": JSON.stringify({ ...MANIFEST, assets: ["client/part.js"] }),
  });
  const { code, err } = await runCompiled(folder, ["check"]);
  expect(code).toBe(0);
  expect(err).toMatch(/^warning: COL121 the section sets innerHTML\n {2}at dist\/client\/part\.js:3:\d\n/);
  expect(err.match(/COL\d/g)).toHaveLength(1);
});

test("a command that is stopped ends with what it has started", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const folder = await ownSection({ "wait.cjs": `require("node:net").connect(${String(port)}, "127.0.0.1");` });
  const stopped = new AbortController();
  // The shell waits for its child.
  const running = runCommand(folder, "node wait.cjs; true", {}, stopped.signal).catch((error: unknown) => error);
  const [socket] = (await once(server, "connection")) as [Socket];
  const closed = once(socket.resume(), "close");
  stopped.abort();
  expect(await running).toMatchObject({ message: expect.stringContaining("failed with exit code null") as string });
  await closed;
  server.close();
});

test("a command has nothing that authorizes at the gateway", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of [
    "COLONNADE_TOKEN",
    "COLONNADE_TOKEN_FILE",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "COLONNADE_CLIENT_KEY",
  ])
    vi.stubEnv(name, TOKEN);
  const folder = await temporaryFolder();
  const script = `for (const [name, value] of Object.entries(process.env)) if (value === "${TOKEN}") throw name;`;
  await writeFiles(folder, { "build.cjs": script });
  await runCommand(folder, "node build.cjs", {});
});

test("a command that fails leaves the release", async () => {
  const folder = await ownSection();
  await runCompiled(folder, ["build"]);
  await rm(path.join(folder, "build.js"));
  const { code, err } = await runCompiled(folder, ["build"]);
  expect(code).toBe(3);
  expect(err).toMatch(/^error: `node build\.js` failed with exit code 1:\n.*Cannot find module/s);
  expect(JSON.parse(await readFile(path.join(folder, "release/release.json"), "utf8"))).toMatchObject({
    name: "hello",
  });
});

type RejectedFolder = [name: string, files: Files, message: (folder: string) => string];

test.each<RejectedFolder>([
  [
    "without a manifest",
    { "build.js": "" },
    (folder) => `${folder}/dist/release.json does not exist; expected \`node build.js\` to write it`,
  ],
  [
    "with another manifest",
    { "manifest.json": '{ "entry": "client/entry.js", "pages": ["/hello"] }' },
    (folder) =>
      `${folder}/dist/release.json is invalid; expected { "entry": "client/entry.js", "assets": [], "pages": [{ "pattern": "/path", "assets": [] }], "extensions": [{ "point": "section/point@1", "assets": [] }], "later": [] }, where only entry is required`,
  ],
  [
    "with an unknown key",
    { "manifest.json": '{ "entry": "client/entry.js", "page": [] }' },
    (folder) => `${folder}/dist/release.json: unknown key "page"; did you mean "pages"?`,
  ],
  [
    "with an unknown key of a page",
    { "manifest.json": '{ "entry": "client/entry.js", "pages": [{ "pattern": "/hello", "files": [] }] }' },
    (folder) => `${folder}/dist/release.json: pages: unknown key "files"; expected pattern, assets`,
  ],
  [
    "without a file",
    { "manifest.json": '{ "entry": "client/entry.js", "assets": ["client/gone.css"] }' },
    (folder) => `${folder}/dist/client/gone.css does not exist; expected \`node build.js\` to write it`,
  ],
  ...["../package.json", "server/index.js", "client/../../package.json"].map((name): RejectedFolder => [
    `that lists ${name}`,
    { "manifest.json": JSON.stringify({ entry: "client/entry.js", later: [name] }) },
    (folder) => `${folder}/dist/release.json has "${name}"; expected the path of a file below client/`,
  ]),
  [
    "with the pattern of no page",
    { "manifest.json": '{ "entry": "client/entry.js", "pages": [{ "pattern": "/hallo" }] }' },
    (folder) => `${folder}/dist/release.json: pages has "/hallo"; expected the pages of ${folder}/section.tsx: /hello`,
  ],
  [
    "that lists a page twice",
    { "manifest.json": JSON.stringify({ ...MANIFEST, pages: [...MANIFEST.pages, { pattern: "/hello" }] }) },
    (folder) => `${folder}/dist/release.json: pages has "/hello" twice; expected it once`,
  ],
  [
    "with the point of no extension",
    { "manifest.json": '{ "entry": "client/entry.js", "extensions": [{ "point": "shop/aside@1" }] }' },
    (folder) =>
      `${folder}/dist/release.json: extensions has "shop/aside@1"; expected the extensions of ${folder}/section.tsx: none`,
  ],
  [
    "with the container of another release",
    { "container.txt": "var hello_1 = {};" },
    (folder) =>
      `${folder}/dist/client/entry.js does not define CONTAINER; expected the container in the global variable whose name is in the environment variable COLONNADE_CONTAINER`,
  ],
])("a command's folder %s is rejected", async (_, files, message) => {
  const folder = await ownSection(files);
  const { code, out, err } = await runCompiled(folder, ["check"]);
  const output = { code, out, err: err.replace(/hello_[0-9a-f]{12}/, "CONTAINER") };
  expect(output).toEqual(failure(message(folder), "build"));
});

test("sources outside of the package are inputs of a command", async () => {
  const folder = await ownSection({ "../ui/src/button.ts": "1" }, { sources: ["../ui/src"] });
  const { out } = await runCompiled(folder, ["build"]);
  await writeFiles(folder, { "../ui/src/button.ts": "2" });
  expect((await runSection(folder, ["publish"])).err).toContain("is out of date");
  expect((await runCompiled(folder, ["build"])).out).not.toBe(out);
});

test.each([
  ['{ command: "vite build" }', "build is"],
  ['{ command: "vite build", output: "build" }', "build is"],
  ['{ command: "vite build", output: "dist", sources: "../ui" }', "build is"],
  ['{ command: "vite build", output: "dist" }, define: {}', "define has no effect with build"],
])("a configuration with build: %s is rejected", async (build, problem) => {
  const folder = await helloSection({
    "section.config.js": `export default { name: "hello", entry: "./src/section.ts", build: ${build} };`,
  });
  const { code, err } = await runSection(folder, ["check"]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`section.config.js: ${problem}`) as string });
});

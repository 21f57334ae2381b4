import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import { helloSection } from "../../fixtures/temporary.js";

const RANDOM = pageSource("Component: () => <h1>{Math.random()}</h1>");
const NO_FUNCTION = 'paths of the page "/lab/list" is an array; expected a function, such as () => ["/lab/list"]';
const NO_FUNCTION_REPORT = `COL100 ${NO_FUNCTION}
  at src/pages/list.tsx:2:26

`;
const REPORT = `error: hello breaks the rules for sections: 1 problem

COL102 the section uses Math.random() on the server
  at src/pages/dice.tsx:4:28
  Derive the value from data. If it must be random, use it in an effect or an event handler, which run only in the browser.

${path.resolve(import.meta.dirname, "../../dist/check/errors.md")} explains the codes.
`;

/** A package of 24 KiB that does not compress. */
const YAML = {
  "src/node_modules/yaml/package.json": '{ "name": "yaml", "type": "module", "sideEffects": false }',
  "src/node_modules/yaml/index.js": `export const parse = (text) => text + "${randomBytes(24 * 1024).toString("base64")}";`,
};

test("check of a section that breaks a rule fails", async () => {
  const folder = await labSection({ dice: RANDOM, list: pageSource("paths: ['/lab/list'] as never") });
  const output = await runCompiled(folder, ["check", "--sarif", "check.sarif"]);
  const report = REPORT.replace("1 problem\n\n", `2 problems\n\n${NO_FUNCTION_REPORT}`);
  expect(output).toEqual({ code: 3, out: "", err: report });
  expectSarif(JSON.parse(await readFile(path.join(folder, "check.sarif"), "utf8")));
});

/** Checks what SARIF 2.1.0 requires, and the contents. */
function expectSarif(log: unknown): void {
  expect(log).toMatchObject({ $schema: expect.stringContaining("sarif-schema-2.1.0") as string, version: "2.1.0" });
  const [run] = (log as { runs: { tool: { driver: { name: string; rules: Rule[] } }; results: object[] }[] }).runs;
  expect(run?.tool.driver.name).toBe("colonnade check");
  const rules = run?.tool.driver.rules ?? [];
  const index = rules.findIndex(({ id }) => id === "COL102");
  // The guide is a file of this machine.
  expect(JSON.stringify(log)).not.toContain(path.resolve(import.meta.dirname, "../.."));
  expect(rules[index]?.help.markdown).toMatch(/^## COL102: Randomness\n/);
  expect(rules.find(({ id }) => id === "COL116")?.defaultConfiguration.level).toBe("warning");
  expect(run?.results).toEqual([
    expect.objectContaining({ ruleId: "COL100", message: { text: NO_FUNCTION } }),
    {
      ruleId: "COL102",
      ruleIndex: index,
      level: "error",
      message: { text: expect.stringContaining("the section uses Math.random() on the server\n") as string },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "src/pages/dice.tsx" },
            region: { startLine: 4, startColumn: 28 },
          },
        },
      ],
    },
  ]);
}

interface Rule {
  readonly id: string;
  readonly help: { readonly markdown: string };
  readonly defaultConfiguration: { readonly level: string };
}

test("pages over the budget are reported with their packages", async () => {
  const folder = await labSection(
    {
      chart: pageSource("data: () => parse('a: 1')", 'import { parse } from "yaml"; import "./chart.css";'),
      dice: RANDOM,
      more: pageSource("data: () => parse(text)", 'import { parse } from "yaml"; import text from "./more.json";'),
    },
    {},
    {
      ...YAML,
      "src/pages/more.json": JSON.stringify(`a: ${randomBytes(6000).toString("base64")}`),
      "section.config.js":
        'export default { name: "hello", entry: "./src/section.ts", budget: { scriptKib: 20, styleKib: 0.1 } };',
      "src/pages/chart.css": `.hello_a::after { content: "${randomBytes(300).toString("base64")}"; }`,
    },
  );
  const { code, out } = await runCompiled(folder, ["check", "--json"]);
  expect(code).toBe(3);
  const { name, problems } = JSON.parse(out) as {
    name: string;
    problems: { code: string; message: string; help: string }[];
  };
  expect(name).toBe("hello");
  expect(problems).toEqual([
    // Another problem hides no size.
    expect.objectContaining({ code: "COL102" }),
    expect.objectContaining({
      code: "COL140",
      message: expect.stringMatching(
        /^the page \/lab\/chart loads [\d.]+ KiB of scripts \(Brotli\), more than its budget of 20 KiB \(set by section\.config\.js\): yaml [\d.]+ KiB, .*src\/pages\/chart\.tsx 0\.\d KiB/,
      ) as string,
    }),
    expect.objectContaining({
      code: "COL140",
      message: expect.stringMatching(
        / of stylesheets \(Brotli\), more than its budget of 0\.1 KiB \(set by section\.config\.js\): src\/pages\/chart\.css 0\.\d KiB$/,
      ) as string,
    }),
    expect.objectContaining({
      code: "COL140",
      message: expect.stringMatching(
        /^the page \/lab\/more loads [\d.]+ KiB of scripts .*: yaml [\d.]+ KiB, src\/pages\/more\.json [5-7]\.\d KiB/,
      ) as string,
    }),
  ]);
  // One setting, which has to be enough for both pages.
  expect(problems[1]?.help).toMatch(/set budget\.scriptKib to \d+ in section\.config\.js\.$/);
  expect(problems[3]?.help).toBe(problems[1]?.help);
});

test("the site sets budget and policy, also where it was only the last one to say them", async () => {
  const aside =
    'import { defineExtension } from "@colonnade/kit/extensions"; import { parse } from "yaml"; export const extension = ' +
    'defineExtension({ data: () => parse("a: 1"), Component: () => <p>Kites</p> });';
  const folder = await labSection(
    {
      chart: pageSource(
        "data: () => parse('a: 1')",
        // The site permits the connection, although the section does not ask for it.
        'import { parse } from "yaml"; export const load = () => fetch("https://c.example/a");',
      ),
    },
    {},
    {
      "section.config.js": `export default { name: "hello", entry: "./src/section.ts", budget: { scriptKib: 64 }, policy: {
        images: ["*.a.example", "b.example", "b.example"], workers: true, styleAttributes: true, trustedTypes: "enforce",
      } };`,
      "src/aside.tsx": aside,
      ...YAML,
    },
    { "directory/aside@1": "./aside" },
  );
  const policy = { images: ["*.a.example"], connections: ["c.example"], styleAttributes: true };
  const target = { scriptKib: 20, styleKib: 8, extensionPoints: { "directory/aside": 9 }, shared: {}, policy };
  admin.responses = { "GET /api/v1/sections/hello/build-target": jsonResponse(target) };
  const found = async (): Promise<string[]> => {
    const { out } = await runCompiled(folder, ["check", "--json"]);
    const { problems } = JSON.parse(out) as { problems: { severity: string; message: string; help: string }[] };
    return problems.map(({ severity, message, help }) =>
      `${severity}: ${message} | ${help}`.replaceAll(/[\d.]+ KiB,? ?/g, "N "),
    );
  };
  const first = await found();
  const raise = (line: string, table: string): string =>
    `ask its operator for \`${line} = \\d+\` in \`\\[${table}\\]\` of site.toml`;
  const denied = (key: string, values: string, line: string): string =>
    `warning: policy.${key} needs ${values}, which ${admin.url} does not permit: a deploy is rejected | Ask its operator for ` +
    `\`${line}\` in \`[policy.sections.hello]\` of site.toml.`;
  expect(first).toEqual([
    denied("images", "b.example", 'images = ["*.a.example","b.example"]'),
    denied("workers", "true", "workers = true"),
    expect.stringContaining(`warning: budget.scriptKib is 64 in section.config.js, but ${admin.url} allows N`),
    expect.stringMatching(
      `error: the page /lab/chart loads N .*its budget of N \\(set by ${admin.url}\\): yaml N.*${raise("page_script_kib", "budget.sections.hello")}`,
    ),
    expect.stringMatching(
      `error: the extension directory/aside@1 loads N .*\\(set by ${admin.url}\\): yaml N.*${raise("max_script_kib", 'extension_points."directory/aside"')}`,
    ),
  ]);
  admin.responses = { "GET /api/v1/sections/hello/build-target": { status: 500, body: "no\u001b" } };
  const again = await found();
  expect(again).toHaveLength(first.length);
  const last = `${admin.url} when last asked (--site asks again)`;
  expect(again[0]).toMatch(`needs b.example, which ${last} does not permit: `);
  expect(again[3]).toContain(`(set by ${last})`);
  const { err } = await runCompiled(folder, ["check"]);
  expect(err).toMatch(`no\ufffd; the limits are those that ${admin.url} had when last asked (--site asks again)\n`);
  expect((await runCompiled(folder, ["check", "--site", "http://127.0.0.1:2"])).err).toMatch(
    /^error: cannot .*ECONNREFUSED/,
  );
});

test("warnings do not fail the check, which builds no release", async () => {
  const folder = await labSection({ quiet: pageSource("Component: () => <p>Lab</p>") });
  const { code, out, err } = await runCompiled(folder, ["check"]);
  expect({ code, out }).toEqual({ code: 0, out: "hello follows the rules\n" });
  expect(err).toMatch(/^warning: COL151 \/lab\/quiet \(page \/lab\/quiet\) breaks the axe rule page-has-heading-one: /);
  expect(err).toMatch(/\/dist\/check\/errors\.md explains the codes\.\n$/);
  await expect(access(path.join(folder, "release"))).rejects.toThrow("ENOENT");
});

test("--sarif without a file cannot be combined with --json", async () => {
  expect(await runCompiled(await helloSection(), ["check", "--json", "--sarif"])).toEqual(
    failure("--json and --sarif both print; pass a file to --sarif"),
  );
});

test("build with a broken rule fails and keeps the release", async () => {
  const folder = await labSection({ dice: RANDOM }, {}, { "release/release.json": "{}" });
  expect(await runCompiled(folder, ["build"])).toEqual({ code: 3, out: "", err: REPORT });
  expect(await readFile(path.join(folder, "release/release.json"), "utf8")).toBe("{}");
});

describe("--site", () => {
  const document =
    '<!doctype html><head><script src="/assets/shell/1.0.0/main.js"></script></head><body><div id="root"></div>' +
    '<script type="application/json" id="boot">{"deployment":"42","site":{}}</script></body>';
  const aside = { id: "directory/aside", version: 2, max: 1, examples: [{ city: "Austin" }, { city: "Nome" }] };
  const list = { extensionPoints: [aside], extensions: [] };
  let response: unknown;
  const server = createServer(({ url = "" }, sent) => {
    const remotes = { directory: { entry: "/assets/directory/2.0.0/entry.js", exposes: {} } };
    if (url === "/") sent.end(document);
    else if (url === "/_build-target/hello") sent.end('{ "extensionPoints": {}, "shared": {}, "policy": {} }');
    else if (url === "/_remotes/42") sent.end(JSON.stringify(remotes));
    else if (url === "/assets/directory/2.0.0/extensions.json") sent.end(JSON.stringify(response));
    else if (/^\/(api|v1)\/events\/live$/.test(url)) sent.end('{"title":"Kites"}');
    else if (url.endsWith("/events/away")) sent.writeHead(503).end();
    else sent.writeHead(404).end();
  });
  let site: string;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const extension = (members: string): string =>
    'import { defineExtension } from "@colonnade/kit/extensions"; export const extension = defineExtension<{ city: string }, any>({\n' +
    `data: () => ({}), Component: ({ props }) => <p>{props.city}</p>, ${members} });`;

  test("renders extensions with the examples of live points, and warns of those that no page shows", async () => {
    response = list;
    const folder = await labSection(
      { home: pageSource("") },
      {},
      {
        "src/aside.tsx": extension(
          "data: ({ props }) => { if (props.city === 'Nome') throw new Error('broken'); return {}; }",
        ),
        "src/typo.tsx": extension(""),
      },
      { "directory/aside@2": "./aside", "directory/asid@2": "./typo" },
    );
    const { code, out } = await runCompiled(folder, ["check", "--site", site, "--json"]);
    expect(code).toBe(3);
    const { problems } = JSON.parse(out) as { problems: { code: string; message: string; location: string }[] };
    expect(problems.map((problem) => [problem.code, problem.message, problem.location])).toEqual([
      [
        "COL110",
        "data() of the extension directory/aside@2 with example 2 of directory@2.0.0 threw Error: broken",
        expect.stringMatching(/^src\/aside\.tsx:2:\d+$/),
      ],
      [
        "COL171",
        'hello fills "directory/asid@2", which no live section opens',
        expect.stringMatching(/^src\/section\.ts:\d+:1$/),
      ],
    ]);
    // Without a site, it knows neither.
    expect((await runCompiled(folder, ["check", "--json"])).out).toBe('{"name":"hello","problems":[]}\n');
  });

  test("a live extension that fails with an example of the section's point fails the check", async () => {
    response = { extensionPoints: [], extensions: [{ point: "hello/aside@1", order: 1 }] };
    const point = 'defineExtensionPoint<any>({ id: "hello/aside", version: 1, max: 1, examples: [{ city: "Nome" }] })';
    const folder = await labSection({
      home: pageSource(
        "extensionPoints: [point], Component: () => <><h1>Lab</h1><ExtensionPoint point={point} props={{}} /></>",
        `import { defineExtensionPoint, ExtensionPoint } from "@colonnade/kit/extensions"; const point = ${point};`,
      ),
    });
    const problem =
      "rendering `hello/aside@1` (extension of directory@2.0.0) with example 1 of hello@0.1.0, `{}`, failed: no city\n  at Aside (section:1:2334)";
    admin.responses = { "POST /api/v1/sections/hello/trial": jsonResponse({ problems: [problem] }) };
    const { code, err } = await runCompiled(folder, ["check", "--site", site]);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringContaining(`COL173 ${problem}\n  at src/pages/home.tsx:1:`) as string,
    });
    const sent = admin.requests.find(({ line }) => line.endsWith("/trial"))?.body.toString() ?? "";
    expect(JSON.parse(sent)).toEqual({
      version: expect.stringMatching(/^0\.1\.0-dev\./) as string,
      extensionPoints: [{ id: "hello/aside", version: 1, max: 1, examples: [{ city: "Nome" }] }],
    });
  });

  test.each([
    ["--site", () => ["--site", site]],
    ["--api", () => ["--api", `events=${site}/v1/events`]],
  ])("with %s runs pages with real results, and warns of queries that fail", async (_, options) => {
    response = list;
    const page = (name: string): string =>
      pageSource(
        `anyParams: true, paths: () => ["/lab/${name}/${name}"], queries: ({ params }) => ({ event: \`/api/events/\${params.id}\` }),\n` +
          "data: ({ results: { event } }) => (event.ok ? event.value : null),\n" +
          "Component: ({ data }: { data: any }) => { if (data) throw new Error(data.title); return <h1>Lab</h1>; }",
      );
    const names = ["live", "away", "none"];
    const folder = await labSection(
      Object.fromEntries(names.map((name) => [name, page(name)])),
      Object.fromEntries(names.map((name) => [name, `/lab/${name}/:id`])),
    );
    const { out } = await runCompiled(folder, ["check", ...options(), "--json"]);
    const { problems } = JSON.parse(out) as { problems: { code: string; message: string; location?: string }[] };
    expect(
      problems.map((problem) => [problem.code, problem.message.replace(/: http.*/, ""), problem.location]),
    ).toEqual([
      [
        "COL110",
        "rendering /lab/live/live (page /lab/live/:id) with results of the site threw Error: Kites",
        "src/pages/live.tsx:6:59",
      ],
      ["COL164", 'the query "event" of /lab/away/away (page /lab/away/:id) failed with status 503', undefined],
      [
        "COL164",
        'the page "/lab/away/:id" has queries, but no examples: its data runs only with failed queries',
        "src/pages/away.tsx:4:60",
      ],
    ]);
  });

  const INVALID = "has an invalid extension point or extension; expected those of a release";
  test.each([
    ["a list", [], "is not a JSON object; expected that of a gateway"],
    ["no points", { extensions: [] }, INVALID],
    ["a point of another section", { ...list, extensionPoints: [{ ...aside, id: "shop/aside" }] }, INVALID],
    ["an example that is no object", { ...list, extensionPoints: [{ ...aside, examples: ["Austin"] }] }, INVALID],
    ["an extension without a point", { ...list, extensions: [{ order: 1 }] }, INVALID],
    ["nothing for a point", { ...list, extensionPoints: [null] }, INVALID],
  ])("fails if a release of the site has %s", async (_, content, problem) => {
    response = content;
    const message = `${site}/assets/directory/2.0.0/extensions.json ${problem}`;
    expect(await runCompiled(await helloSection(), ["check", "--site", site])).toEqual(failure(message, "unavailable"));
  });
});

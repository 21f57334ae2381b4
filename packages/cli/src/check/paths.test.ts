// What `colonnade check` finds in the declarations of a section and in the paths, data and queries of its pages.
import { expect, test, describe, beforeAll } from "vitest";

import { placeholderSettings } from "../build/settings.js";
import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import { helloSection } from "../../fixtures/temporary.js";
import type { Section } from "@colonnade/kit";
import type { ProblemCode } from "./codes.js";
import type { Problem } from "./problem.js";
import { SectionCheck } from "./sandbox/index.js";

const NON_JSON =
  "is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects";

const DATA: Readonly<Record<string, readonly [data: string, advice: string]>> = {
  function: ["{ say: () => 1 }", "data.say is a function."],
  date: ["{ day: new Date(0) }", "data.day is a Date."],
  map: ["[new Map()]", "data[0] is a Map."],
  undefined: ["{ words: undefined }", "data.words is undefined."],
  notANumber: ["[NaN]", "data[0] is NaN."],
  bigint: ["{ count: 1n }", "data.count is a bigint."],
  cycle: ["(() => { const it = {}; it.self = it; return it; })()", "is cyclic or nested too deeply."],
};

const PATHS: Readonly<Record<string, readonly [fields: string, message: string]>> = {
  promised: [
    'paths: async () => ["/lab/promised"]',
    'paths() of the page "/lab/promised" does not return a list of strings',
  ],
  elsewhere: [
    'paths: () => ["/goodbye/Dutch"]',
    'paths() of the page "/lab/elsewhere" returns /goodbye/Dutch, which does not match the pattern',
  ],
  slash: [
    'paths: () => ["/lab/slash/"]',
    'paths() of the page "/lab/slash" returns /lab/slash/, which does not match the pattern',
  ],
  missing: [
    'paths: () => ["/lab/missing"], data: () => notFound("Language not found")',
    'paths() of the page "/lab/missing" returns /lab/missing, but its data() is notFound("Language not found")',
  ],
};

/** Pages with query parameters. */
const SEARCHES: Readonly<Record<string, readonly [fields: string, message: string]>> = {
  undeclared: [
    'search: { names: ["page"], read: async () => ({}) }, paths: () => ["/lab/undeclared?x=1&page=2"]',
    'paths() of the page "/lab/undeclared" returns /lab/undeclared?x=1&page=2, whose query is not "page=2", its canonical form',
  ],
  rejected: [
    'search: { names: ["page"], read: async () => notFound() }, paths: () => ["/lab/rejected?page=0"]',
    'paths() of the page "/lab/rejected" returns /lab/rejected?page=0, whose query its search rejects',
  ],
  names: [
    'search: { names: ["a b"], read: async () => ({}) }, data: () => null',
    'the page "/lab/names" declares the query parameter "a b"; expected a letter, then at most 31 of a-z A-Z 0-9 _ -',
  ],
};

interface QueryCase {
  /** Members of the page. */
  readonly fields: string;
  readonly imports?: string;
  readonly pattern?: string;
  readonly problems: readonly (readonly [ProblemCode, string, position: string])[];
}

const nine = Array.from("123456789", (name) => `q${name}: "/api/x"`).join();
const withTitle = "Component: ({ data }: { data: unknown }) => <h1>{`Lab ${String(data)}`}</h1>";

/** Pages with queries or redirects. */
const QUERIES: Readonly<Record<string, QueryCase>> = {
  list: {
    fields:
      "queries: () => ({ events: '/api/events?page=1', venue: query('/api/venue', schema) }),\n" +
      `data: ({ results }) => results.events.ok && results.venue.ok ? 'all' : 'none', ${withTitle}`,
    imports:
      'import { query } from "@colonnade/kit"; ' +
      'const schema = { "~standard": { version: 1, vendor: "lab", validate: (value: unknown) => ({ value }) } } as const;',
    problems: [],
  },
  detail: {
    fields:
      "paths: () => ['/lab/detail/1'], queries: ({ params }) => ({ event: `/api/events/${params.id}` }),\n" +
      `data: ({ results: { event } }) => event.ok || event.status !== 404 ? String(event.ok) : notFound(), ${withTitle}`,
    imports: 'import { notFound } from "@colonnade/kit";',
    pattern: "/lab/detail/:id",
    problems: [],
  },
  ignoresUnknown: {
    fields: `queries: ({ params }) => ({ event: \`/api/events/\${params.id}\` }),\ndata: ({ results: { event } }) => String(event.ok), ${withTitle}`,
    pattern: "/lab/ignoresUnknown/:id",
    problems: [
      [
        "COL114",
        "data() of /lab/ignoresUnknown/no-such-id (page /lab/ignoresUnknown/:id) returns data; expected notFound(), because the params are made up",
        "5:7",
      ],
    ],
  },
  outside: {
    fields: "queries: () => ({ events: 'https://api.example/events' })",
    problems: [
      [
        "COL160",
        'queries() of PAGE has the path "https://api.example/events" of the query "events"; expected a path below /api/, percent-encoded',
        "4:10",
      ],
    ],
  },
  tooMany: {
    fields: `queries: () => ({ ${nine} })`,
    problems: [["COL160", "queries() of PAGE has 9 queries; expected at most 8", "4:10"]],
  },
  unstable: {
    fields: "queries: () => ({ events: `/api/events?page=${++count}` })",
    imports: "let count = 0;",
    problems: [["COL161", "queries() of PAGE returns other paths when it runs again", "4:10"]],
  },
  clock: {
    fields: "queries: () => ({ events: `/api/events?now=${Date.now()}` })",
    problems: [["COL101", "the section uses Date.now() on the server", "4:51"]],
  },
  unprepared: {
    fields: "queries: () => ({ events: '/api/events' }),\ndata: ({ results }) => (results.events as any).value.length",
    problems: [
      [
        "COL162",
        "data() of PAGE with failed queries threw TypeError: Cannot read properties of undefined (reading 'length')",
        "5:54",
      ],
    ],
  },
  unpreparedComponent: {
    fields:
      "queries: () => ({ events: '/api/events' }),\ndata: ({ results }) => ({ ...results }),\n" +
      "Component: ({ data }: any) => <h1>{data.events.value.title}</h1>",
    problems: [
      [
        "COL162",
        "rendering PAGE with failed queries threw TypeError: Cannot read properties of undefined (reading 'title')",
        "6:54",
      ],
    ],
  },
  unanswered: {
    fields: "queries: () => ({ event: '/api/event' }),\ndata: ({ results }) => results.event.ok ? null : notFound()",
    imports: 'import { notFound } from "@colonnade/kit";',
    problems: [["COL162", 'data() of PAGE is notFound("Page not found") if its queries fail with status 503', "5:7"]],
  },
  moved: {
    fields: "paths: () => ['/lab/moved'], data: () => redirect('/elsewhere')",
    imports: 'import { redirect } from "@colonnade/kit";',
    problems: [
      ["COL100", 'paths() of the page "/lab/moved" returns /lab/moved, but its data() redirects to /elsewhere', "4:36"],
    ],
  },
  away: {
    fields: "data: () => redirect('//other.example')",
    imports: 'import { redirect } from "@colonnade/kit";',
    problems: [["COL110", 'data() of PAGE threw Error: redirect("//other.example"): not a path of this site', "4:13"]],
  },
};

let problems: Problem[];
beforeAll(async () => {
  const queries = Object.entries(QUERIES);
  const pages = {
    ...Object.fromEntries(queries.map(([name, { fields, imports }]) => [name, pageSource(fields, imports)])),
    ...Object.fromEntries(Object.entries(DATA).map(([name, [data]]) => [name, pageSource(`data: () => (${data})`)])),
    ...Object.fromEntries(
      Object.entries({ ...PATHS, ...SEARCHES }).map(([name, [fields]]) => [
        name,
        pageSource(fields, 'import { notFound } from "@colonnade/kit";'),
      ]),
    ),
    unexported: "export const Page = () => null;",
    // A page that lists no path may have none.
    unlisted: pageSource("data: () => notFound()", 'import { notFound } from "@colonnade/kit";'),
    // Data may be undefined or asynchronous.
    empty: pageSource("data: async () => undefined"),
    // The pages list too many paths together, not each of them.
    ...Object.fromEntries(
      ["many", "more"].map((name) => [
        name,
        pageSource(`anyParams: true, paths: () => Array.from({ length: 2500 }, (_, id) => \`/lab/${name}/\${id}\`)`),
      ]),
    ),
  };
  const patterns = queries.flatMap(([name, { pattern }]) => (pattern === undefined ? [] : [[name, pattern] as const]));
  const folder = await labSection(pages, {
    ...Object.fromEntries(patterns),
    many: "/lab/many/:id",
    more: "/lab/more/:id",
  });
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  if (out === "") throw new Error(err);
  // No page has examples.
  problems = (JSON.parse(out) as { problems: Problem[] }).problems.filter(({ code }) => code !== "COL164");
});

describe("data that is not JSON-serializable is rejected", () => {
  test.each(Object.entries(DATA))("%s", (name, [, advice]) => {
    const problem = problems.find(({ message }) => message === `the data of /lab/${name} ${NON_JSON}`);
    expect(problem?.code).toBe("COL112");
    expect(problem?.help).toContain(advice);
  });
});

describe("a path of paths() is rejected", () => {
  test.each(Object.entries({ ...PATHS, ...SEARCHES }))("%s", (_, [, message]) => {
    const location = expect.stringMatching(/^src\/pages\/\w+\.tsx:4:\d+$/) as string;
    expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message, location }));
  });
});

test("a page's module without a page export is rejected", () => {
  const message =
    'the module of the page "/lab/unexported" does not export "page"; expected export const page = definePage({ … })';
  const location = expect.stringMatching(/^src\/section\.ts:\d+:\d+$/) as string;
  expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message, location }));
});

test("a section that lists too many paths is rejected", () => {
  const message = "the pages of the section list 5007 paths; expected at most 5000";
  const location = expect.stringMatching(/^src\/section\.ts:\d+:\d+$/) as string;
  expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message, location }));
});

test("no other page is rejected", () => {
  const ofQueries = Object.values(QUERIES).flatMap(({ problems }) => problems);
  expect(problems).toHaveLength(
    Object.keys(DATA).length + Object.keys({ ...PATHS, ...SEARCHES }).length + ofQueries.length + 2,
  );
});

describe("a page with queries or a redirect", () => {
  test.each(Object.entries(QUERIES))("%s", (name, { problems: expected }) => {
    const found = problems.filter(({ message, location = "" }) =>
      new RegExp(`/lab/${name}\\b|/${name}\\.tsx:`).test(`${message} ${location}`),
    );
    expect(found.map(({ code, message, location }) => [code, message, location])).toEqual(
      expected.map(([code, message, position]) => [
        code,
        message.replace("PAGE", `/lab/${name} (page /lab/${name})`),
        `src/pages/${name}.tsx:${position}`,
      ]),
    );
  });
});

describe("a section is rejected", () => {
  test.each([
    [
      "whose name differs from the configuration",
      { name: "goodbye" },
      "name",
      'the name is "goodbye" in defineSection, but "hello" in section.config.js; use the same name',
    ],
    [
      "with an unsupported contract",
      { contract: 2 },
      "contract",
      "the section has contract 2; the installed kit supports contract 1",
    ],
  ])("%s", async (_, declared, part, problem) => {
    const section = { name: "hello", contract: 1, pages: {}, ...declared } as Section;
    const check = new SectionCheck(() => Promise.resolve({ default: section }), "hello", placeholderSettings());
    await check.load();
    expect(check.problems()).toEqual([{ problem, part }]);
  });

  test.each([
    [
      "that never finishes loading",
      '{ name: "hello", contract: 1, pages: {} }',
      "for (;;);\n",
      "loading the section exceeded 2000 ms of CPU time: is there an endless loop?",
    ],
  ])("%s", async (_, declaration, statement, message) => {
    const source = `import { defineSection } from "@colonnade/kit";\n${statement}export default defineSection(${declaration});\n`;
    const folder = await helloSection({ "src/section.ts": source });
    const { code, err } = await runCompiled(folder, ["check"]);
    expect(code).toBe(3);
    expect(err).toContain(message);
    // Without a position of its own, a problem has that of the declaration.
    if (statement === "") expect(err).toMatch(/\n {2}at src\/section\.ts:2:\d+\n/);
    expect(err).toContain("hello breaks the rules for sections: 1 problem\n");
  });
});

test("the faults of a declaration have the lines of its entries", async () => {
  const load = '() => import("./pages/languages")';
  const entries = [
    `"/hello": ${load}`,
    `"/api/x": ${load}`,
    `"${"/a".repeat(65)}": ${load}`,
    `"/hello/:topic": ${load}`,
    `"/hello/:other": ${load}`,
    `"/hello": ${load}`,
    "...more",
  ];
  const references = [
    ...Array.from({ length: 32 }, (_, index) => `hello/p${String(index)}@1`),
    "hello/p0@1",
    "aside@0",
  ];
  const extensions = references.map((reference) => `"${reference}": ${load}`).join(",\n");
  const source = `import { defineSection } from "@colonnade/kit";\nconst more = {};\nexport default defineSection({ name: "hello", contract: 1, pages: {
${entries.join(",\n")}\n},\nextensions: {\n"a/b@1": more,\n${extensions} },\nnavigation: [more] });\n`;
  const { code, out } = await runCompiled(await helloSection({ "src/section.ts": source }), ["check", "--json"]);
  expect(code).toBe(3);
  const found = (JSON.parse(out) as { problems: Problem[] }).problems;
  const unreadable = "has a value that the build cannot read";
  expect(new Set(found.map(({ code: col, location = "", message }) => `${location} ${col} ${message}`))).toEqual(
    new Set([
      'src/section.ts:5:1 COL100 the pattern "/api/x" is invalid: paths under "/api" are reserved for the gateway on every site',
      `src/section.ts:6:1 COL100 the pattern "${"/a".repeat(65)}" is invalid: it has 65 segments; expected at most 64`,
      'src/section.ts:8:1 COL100 the patterns "/hello/:topic" and "/hello/:other" match the same paths',
      'src/section.ts:9:1 COL100 the pattern "/hello" has two pages',
      `src/section.ts:10:1 COL100 pages ${unreadable}`,
      `src/section.ts:13:1 COL100 extensions["a/b@1"] ${unreadable}`,
      "src/section.ts:12:13 COL100 the section has 35 extensions; expected at most 32",
      'src/section.ts:46:1 COL100 the extension point "hello/p0@1" has two extensions',
      'src/section.ts:47:1 COL100 the reference "aside@0" of an extension point is invalid: expected the point\'s ID and ' +
        'version, such as "directory/city-aside@1"; each name is a lowercase letter, followed by up to 31 of a-z, 0-9 and -',
      `src/section.ts:48:13 COL100 navigation ${unreadable}`,
    ]),
  );
});

test("the faults of links have the lines of their entries", async () => {
  const link = (members: object): string =>
    JSON.stringify({ to: "shell/menu", label: "Hello", path: "/hello", ...members });
  const label = "expected 1 to 64 characters without control characters";
  const path = "expected the pattern of a page without params, or a path that paths() of a page returns";
  const links: readonly (readonly [link: string, fault?: string])[] = [
    [link({ order: -1 })],
    [link({ to: "shell/footer" })],
    [link({ to: "shell/footer", path: "/hello/Welsh#words" })],
    [link({ to: "shell/side" }), 'to is "shell/side"; expected "shell/menu" or "shell/footer"'],
    [link({ label: "a".repeat(65) }), `label is "${"a".repeat(65)}"; ${label}`],
    [link({ label: " " }), `label is " "; ${label}`],
    [link({ order: 0.5 }), "order is 0.5; expected an integer"],
    [link({ icon: "star" }), "unknown member icon; expected to, label, path and order"],
    [link({ path: "hello" }), 'path is "hello"; expected a percent-encoded path, beginning with one slash'],
    [link({ path: "/hello/Klingon" }), `no page has the path /hello/Klingon; ${path}`],
    [link({ path: "/hello/:language" }), `no page has the path /hello/:language; ${path}`],
    [link({}), "shell/menu has two links to /hello"],
    ...Array.from({ length: 21 }, (_, index) => [link({ path: `/hello#${String(index)}` })] as const),
  ];
  const source = `import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "hello", contract: 1, navigation: [
${links.map(([text]) => text).join(",\n")}
], pages: {
"/hello": () => import("./pages/languages"), "/hello/:language": () => import("./pages/greeting") } });`;
  const { code, out } = await runCompiled(await helloSection({ "src/section.ts": source }), ["check", "--json"]);
  expect(code).toBe(3);
  const found = (JSON.parse(out) as { problems: Problem[] }).problems;
  const faults = links.flatMap(([, fault], index) =>
    fault === undefined ? [] : [`src/section.ts:${String(index + 3)}:1 navigation[${String(index)}]: ${fault}`],
  );
  expect(found.map(({ location = "", message }) => `${location} ${message}`).sort()).toEqual(
    [...faults, "src/section.ts:2:60 the section has 33 links in navigation; expected at most 32"].sort(),
  );
});

const SHELL_PARTS = `Frame: ({ children }) => <main id="main" tabIndex={-1}>{children}</main>, Loading: () => <p>Loading</p>,
NotFound: ({ heading }) => <h1>{heading}</h1>, Offline: () => <p>Offline</p>, Failed: () => <p>Failed</p>,`;
const POINTS = `const pointOf = (id) => defineExtensionPoint({ id, version: 1, max: 1, examples: [{}] }); const aside = pointOf("shell/aside");`;
const WITH_POINT = `Frame: ({ children }) => <main>{children}<ExtensionPoint point={aside} props={{}} /></main>,`;

test.each([
  [
    "a shell without parts",
    "",
    [
      "COL110 loading the shell threw Error: the shell has no Frame, Loading, NotFound, Failed, Offline; expected " +
        "createShell({ Frame, Loading, NotFound, Failed, Offline })",
    ],
  ],
  ["a shell that renders, with an extension point", `${SHELL_PARTS}\n${WITH_POINT} extensionPoints: [aside]`, []],
  [
    "a shell that opens a point of a section",
    `${SHELL_PARTS}\n${WITH_POINT} extensionPoints: [aside, pointOf("directory/aside")]`,
    [
      'COL100 the extension point "directory/aside@1" of the shell has the ID "directory/aside"; expected "shell/" and a name: a ' +
        "lowercase letter, followed by up to 31 of a-z, 0-9 and -",
    ],
  ],
  [
    "a shell that shows a point that it does not open",
    `${SHELL_PARTS}\n${WITH_POINT}`,
    ["the frame", "the not-found page", "the part for a section that failed"].map(
      (what) =>
        `COL170 rendering ${what} threw Error: the extension point "shell/aside@1" is not among the extensionPoints of its ` +
        "page, or of the shell",
    ),
  ],
  [
    "parts that a server cannot render",
    `${SHELL_PARTS}\nNotFound: () => <h1>{window.location.href}</h1>,\nFailed: () => { throw new Error("broken"); },`,
    [
      "src/shell.tsx:4:22 COL105 rendering the not-found page used window, which exists only in browsers",
      "src/shell.tsx:5:23 COL110 rendering the part for a section that failed threw Error: broken",
    ],
  ],
])("check renders %s", async (_, parts, expected) => {
  const folder = await helloSection({
    "section.config.js": 'export default { name: "shell", kind: "shell", entry: "./src/shell.tsx" };',
    "src/shell.tsx": `import { createShell } from "@colonnade/shell"; import { defineExtensionPoint, ExtensionPoint } from \
"@colonnade/kit/extensions"; ${POINTS} export default createShell({\n${parts}\n} as never);`,
  });
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  const { problems } = JSON.parse(out || `{ "problems": [${JSON.stringify(err)}] }`) as { problems: Problem[] };
  expect(problems.map(({ location, code, message }) => [location, code, message].filter(Boolean).join(" "))).toEqual(
    expected,
  );
});

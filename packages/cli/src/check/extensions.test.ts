// Runs `colonnade check` on a section with extension points and extensions that break the rules.
import { beforeAll, describe, expect, test } from "vitest";

import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import type { ProblemCode } from "./codes.js";
import type { Problem } from "./problem.js";

type Expected = readonly [ProblemCode, message: string | RegExp, position?: string];

const NOT_JSON =
  "not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects";

const IMPORTS = 'import { defineExtensionPoint, ExtensionPoint } from "@colonnade/kit/extensions"; ';
const PLACE = "<ExtensionPoint point={point} props={{}} />";

/** A page that lists points, and shows what is in `places`. Line 5 of its module has the component. */
function lists(options: string, extensionPoints = "[point]", places = PLACE): string {
  const point = `const point = defineExtensionPoint<any>({ id: "hello/NAME", version: 1, max: 4, examples: [{}], ${options} } as any);`;
  const component = `Component: () => <><h1>Lab</h1>${places}</>`;
  return pageSource(`extensionPoints: ${extensionPoints},\n${component}`, IMPORTS + point);
}

/** Pages whose point breaks a rule. In the messages, POINT is the point, and PAGE the page at its path. */
const PAGES: Readonly<Record<string, readonly [source: string, ...Expected]>> = {
  "no-list": [
    lists("", "'x' as never"),
    "COL100",
    'extensionPoints of the page "/lab/no-list" is no list; expected results of defineExtensionPoint()',
  ],
  other: [
    lists("", "['hello/other@1' as never]"),
    "COL100",
    'extensionPoints of the page "/lab/other" has something else; expected results of defineExtensionPoint()',
  ],
  foreign: [
    lists("id: 'directory/aside'"),
    "COL100",
    'the extension point "directory/aside@1" of the page "/lab/foreign" has the ID "directory/aside"; expected "hello/" and ' +
      "a name: a lowercase letter, followed by up to 31 of a-z, 0-9 and -",
  ],
  version: [
    lists("version: 0"),
    "COL100",
    'the extension point "hello/version@0" of the page "/lab/version" has the version 0; expected an integer from 1',
  ],
  max: [lists("max: 17"), "COL100", 'POINT of the page "/lab/max" has max 17; expected an integer from 1 to 16'],
  none: [lists("examples: []"), "COL100", 'POINT of the page "/lab/none" has 0 examples; expected 1 to 20'],
  list: [lists("examples: [{}, []]"), "COL100", 'example 2 of POINT of the page "/lab/list": expected an object'],
  date: [lists("examples: [{ on: new Date(0) }]"), "COL112", `example 1 of POINT of the page "/lab/date": ${NOT_JSON}`],
  again: [lists("", "[point, point]"), "COL100", 'POINT of the page "/lab/again" is listed twice; expected once'],
  text: [
    lists("", "[point]", "<ExtensionPoint point={point} props={'Austin'} />"),
    "COL100",
    "the props of POINT of PAGE: expected an object",
  ],
  map: [
    lists("", "[point]", "<ExtensionPoint point={point} props={{ cities: new Map() }} />"),
    "COL112",
    `the props of POINT of PAGE: ${NOT_JSON}`,
  ],
  twice: [lists("", "[point]", `${PLACE}<p>${PLACE}</p>`), "COL170", "PAGE shows POINT twice; expected one place"],
  unlisted: [lists("", "[]"), "COL170", "PAGE shows POINT, which is not among its extensionPoints"],
};

/** Extensions that break a rule: members, the problem, the message, and its position. Line 4 has the members. */
const EXTENSIONS: Readonly<Record<string, readonly [members: string, ...Expected]>> = {
  "no-component": [
    "Component: undefined as never",
    "COL100",
    'the extension "hello/no-component@1" has no Component; expected defineExtension({ data, Component })',
    "2:26",
  ],
  order: ["order: 1.5", "COL100", 'the extension "hello/order@1" has the order 1.5; expected an integer', "2:26"],
  queries: [
    "queries: { a: '/api/a' } as never",
    "COL100",
    'queries of the extension "hello/queries@1" is an object; expected a function, such as () => ({ … })',
    "2:26",
  ],
  data: [
    "data: ({ props }) => { if (props.count === 2) throw new Error('broken'); return {}; }",
    "COL110",
    "data() of the extension hello/data@1 with example 2 threw Error: broken",
    "4:53",
  ],
  json: [
    "data: () => ({ on: new Date(0) })",
    "COL112",
    `the data of the extension hello/json@1 with example 1 is ${NOT_JSON}`,
    "4:7",
  ],
  outside: [
    "queries: () => ({ a: '/about' })",
    "COL160",
    /^queries\(\) of the extension hello\/outside@1 with example 1 has the path "\/about"/,
    "4:10",
  ],
  unprepared: [
    "queries: () => ({ a: '/api/a' }), data: ({ results }) => (results.a as any).value.length",
    "COL162",
    "data() of the extension hello/unprepared@1 with example 1 with failed queries threw TypeError: Cannot read properties of undefined (reading 'length')",
    "4:83",
  ],
  renders: [
    "Component: () => { throw new Error('broken'); }",
    "COL110",
    "rendering the extension hello/renders@1 with example 1 threw Error: broken",
    "4:26",
  ],
  suspends: [
    "Component: () => { const Stop = () => { throw new Promise(() => {}); }; return <><img src='/assets/a.png' alt='' /><Stop /></>; }",
    "COL110",
    /^rendering .* the extension suspended outside of its own Suspense boundaries/,
    "4:12",
  ],
  loops: [
    "Component: () => { for (;;); }",
    "COL111",
    "rendering the extension hello/loops@1 with example 1 exceeded 500 ms of CPU time: is there an endless loop?",
    "4:20",
  ],
  clock: ["Component: () => <p>{Date.now()}</p>", "COL101", "the section uses Date.now() on the server", "4:27"],
  heading: [
    "Component: () => <h1>Events</h1>",
    "COL152",
    "the extension hello/heading@1 with example 2 has an h1 element; expected h2 to h6, because the page has the h1",
    "4:12",
  ],
  image: [
    "Component: () => <img src='/assets/a.png' />",
    "COL150",
    'the extension hello/image@1 with example 1 breaks the axe rule image-alt: <img src="/assets/a.png">',
    "4:12",
  ],
  link: [
    "Component: () => <a href='/lab/points/x'>Lab</a>",
    "COL118",
    "the extension hello/link@1 with example 1 links to /lab/points/x, which no page of the section matches",
    "4:12",
  ],
  title: [
    "Component: () => <><title>Events</title><p>Events</p></>",
    "COL172",
    "the extension hello/title@1 with example 2 has `<title>`; expected only elements of its own content",
    "4:12",
  ],
  nested: [
    "Component: () => <ExtensionPoint point={{ reference: 'hello/data@1' } as never} props={{}} />",
    "COL170",
    'the extension hello/nested@1 with example 1 shows the extension point "hello/data@1", which is not among its extensionPoints',
    "4:12",
  ],
};
const GOOD = ["fine", "hidden"];

const MODULES = [...Object.keys(EXTENSIONS), ...GOOD];

function extensionSource(members: string): string {
  return [
    'import { defineExtension, ExtensionPoint } from "@colonnade/kit/extensions"; void ExtensionPoint;',
    "const defaults = { data: () => ({}), Component: () => <h3>Events</h3> };",
    `export const extension = defineExtension<{ count: number }, any, any>({ ...defaults,\n${members} });`,
  ].join("\n");
}

const POINTS_PAGE = pageSource(
  "extensionPoints: points,\n" +
    "Component: () => <><h1>Lab</h1>{points.map((point) => <ExtensionPoint key={point.id} point={point} props={{ count: 1, note: undefined } as never} />)}</>",
  `${IMPORTS}const points = ${JSON.stringify(MODULES)}.map((name) => defineExtensionPoint<{ count: number }>(` +
    "{ id: `hello/${name}`, version: 1, max: 4, examples: [{ count: 1 }, { count: 2 }] }));",
);

let problems: Problem[];
beforeAll(async () => {
  const sources: Record<string, string> = {
    ...Object.fromEntries(Object.entries(EXTENSIONS).map(([name, [members]]) => [name, extensionSource(members)])),
    fine: extensionSource("Component: ({ props, data }) => <p>{props.count} {Object.keys(data).length}</p>"),
    hidden: extensionSource("data: () => null, Component: () => { throw new Error('broken'); }"),
    unexported: "export const Extension = () => null;",
  };
  const folder = await labSection(
    {
      points: POINTS_PAGE,
      ...Object.fromEntries(
        Object.entries(PAGES).map(([name, [source]]) => [name, source.replace("hello/NAME", `hello/${name}`)]),
      ),
    },
    {},
    Object.fromEntries(Object.entries(sources).map(([name, source]) => [`src/extensions/${name}.tsx`, source])),
    {
      ...Object.fromEntries(MODULES.map((name) => [`hello/${name}@1`, `./extensions/${name}`])),
      // Of another section.
      "directory/unexported@1": "./extensions/unexported",
    },
  );
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  if (out === "") throw new Error(err);
  // No extension has examples.
  problems = (JSON.parse(out) as { problems: Problem[] }).problems.filter(({ code }) => code !== "COL164");
});

describe("the points of a page", () => {
  test.each(Object.entries(PAGES))("%s", (name, [, code, message]) => {
    const page = `/lab/${name} (page /lab/${name})`;
    const text = String(message).replace("PAGE", page).replace("POINT", `the extension point "hello/${name}@1"`);
    const found = problems.filter(({ location = "" }) => location.startsWith(`src/pages/${name}.tsx:`));
    expect(found.map((problem) => [problem.code, problem.message, problem.location])).toEqual([
      [code, text, `src/pages/${name}.tsx:5:12`],
    ]);
  });
});

describe("an extension", () => {
  test.each(Object.entries(EXTENSIONS))("%s", (name, [, code, message, position]) => {
    const text = typeof message === "string" ? message : (expect.stringMatching(message) as string);
    const found = problems.filter(({ location = "" }) => location.startsWith(`src/extensions/${name}.tsx:`));
    expect(found.map((problem) => [problem.code, problem.message, problem.location])).toEqual([
      [code, text, `src/extensions/${name}.tsx:${String(position)}`],
    ]);
  });

  test("of a point of another section is loaded", () => {
    const message =
      'the module of the extension "directory/unexported@1" does not export "extension"; expected export const extension = ' +
      "defineExtension({ … })";
    const location = expect.stringMatching(/^src\/section\.ts:\d+:1$/) as string;
    expect(problems).toContainEqual(expect.objectContaining({ code: "COL100", message, location }));
  });
});

test("no other point and no other extension is rejected", () => {
  expect(problems).toHaveLength(Object.keys(PAGES).length + Object.keys(EXTENSIONS).length + 1);
});

// Runs `colonnade check` on pages whose code fails on the server, or does there what the gateway rejects.
import { beforeAll, describe, expect, test } from "vitest";

import { CheckedCases, renders, type Cases } from "../../fixtures/cases.js";
import { pageSource } from "../../fixtures/lab.js";
import type { ProblemCode } from "./codes.js";

/** A page whose component executes a statement. Its column is 20. */
const runs = (code: string): string => pageSource(`Component: () => { ${code}; return <h1>Lab</h1>; }`);

/** Statements that the gateway's sandbox rejects: the code and the message of the problem, and its column. */
const USES: Readonly<Record<string, readonly [statement: string, ProblemCode, message: string, column: number]>> = {
  date: ["new Date()", "COL101", "used the clock (new Date() or Date.now())", 1],
  now: ["Date.now()", "COL101", "used the clock (new Date() or Date.now())", 6],
  performance: ["performance.now()", "COL101", "used performance", 13],
  random: ["Math.random()", "COL102", "used Math.random()", 6],
  uuid: ["crypto.randomUUID()", "COL102", "used crypto (randomness)", 8],
  outside: [
    "new URLSearchParams('a=1').getAll('a').constructor.constructor('return process')",
    "COL121",
    "threw EvalError: Code generation from strings disallowed for this context",
    52,
  ],
  intl: ["new Intl.NumberFormat()", "COL103", "used Intl", 10],
  number: ["(1).toLocaleString()", "COL103", "used toLocaleString()", 5],
  compare: ["'a'.localeCompare('b')", "COL103", "used localeCompare()", 5],
  timer: ["setTimeout(() => 1)", "COL104", "used setTimeout()", 1],
  fetch: ["void fetch('/x')", "COL104", "used fetch()", 6],
  request: ["new XMLHttpRequest()", "COL104", "used XMLHttpRequest", 1],
  window: ["window.scrollTo(0, 0)", "COL105", "used window, which exists only in browsers", 1],
  storage: ["localStorage.clear()", "COL105", "used localStorage, which exists only in browsers", 1],
  hours: ["new Date(0).getHours()", "COL106", "used getHours()", 13],
  dateText: ["new Date(0).toString()", "COL106", "used toString()", 13],
  evaluates: [
    "(0, eval)('1')",
    "COL121",
    "threw EvalError: Code generation from strings disallowed for this context",
    8,
  ],
};

/** A page that executes each statement on a path and a line of its own: one page takes less time than one for each. */
const USES_PAGE = pageSource(
  [
    `anyParams: true, paths: () => ${JSON.stringify(Object.keys(USES).map((name) => `/lab/uses/${name}`))},`,
    "data: ({ params: { name } }) => {",
    ...Object.entries(USES).map(([name, [statement]]) => `if (name === "${name}")\n${statement};`),
    "}",
  ].join("\n"),
);

const CASES: Cases = {
  throws: {
    source: runs("throw new TypeError('broken')"),
    problems: [["COL110", "rendering PAGE threw TypeError: broken", "4:26"]],
  },
  text: {
    source: runs("throw 'broken'"),
    problems: [["COL110", "rendering PAGE threw a value that is not an Error: 'broken'", "4:12"]],
  },
  typo: {
    source: runs("undefinedName()"),
    problems: [["COL110", "rendering PAGE threw ReferenceError: undefinedName is not defined", "4:20"]],
  },
  invalidType: {
    source: renders("<lab.Missing />", "const lab = {} as { Missing: () => null };"),
    problems: [
      ["COL110", expect.stringMatching(/^rendering \S+ .* threw Error: Element type is invalid: /) as string, "4:12"],
    ],
  },
  boundary: {
    source: renders(
      "<Suspense fallback={<p />}><Inner /></Suspense>",
      'import { Suspense } from "react"; const Inner = () => { throw new Error("inner"); };',
    ),
    problems: [["COL110", "rendering PAGE threw Error: inner", "1:108"]],
  },
  suspends: {
    source: renders("{ throw new Promise(() => {}); }"),
    problems: [
      [
        "COL110",
        "rendering PAGE threw Error: the page suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>",
        "4:12",
      ],
    ],
  },
  reactError: {
    source: renders("<h1>{{} as never}</h1>"),
    problems: [
      [
        "COL110",
        expect.stringMatching(
          /threw Error: Objects are not valid as a React child \(found: object with keys \{\}\)\./,
        ) as string,
        "4:12",
      ],
    ],
  },
  updates: {
    source: renders(
      "{ const [count, setCount] = useState(0); setCount(count + 1); return <h1>{count}</h1>; }",
      'import { useState } from "react";',
    ),
    problems: [["COL110", expect.stringMatching(/^rendering \S+ .* threw Error: Too many re-renders\./), "4:59"]],
  },
  packages: {
    source: renders("<Chart />", 'import { Chart } from "charts";'),
    problems: [
      [
        "COL102",
        "loading the page /lab/packages used Math.random() in the package dice, which charts imports (src/node_modules/dice/index.js:2:8)",
        "1:46",
      ],
    ],
  },
  data: {
    source: pageSource("data: () => { throw new Error('broken'); }"),
    problems: [["COL110", "data() of PAGE threw Error: broken", "4:21"]],
  },
  json: {
    source: pageSource(
      "data: () => ({ at: new Date(0), 'b': 1n }), head: () => ({ title: '', description: 'Lab', canonical: '/lab/json' }),\n" +
        "Component: () => <><h1>Lab</h1><img src='/assets/a.png' /></>",
    ),
    problems: [
      [
        "COL112",
        "the data of /lab/json is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects",
        "4:7",
      ],
      ["COL115", "the head of /lab/json has no title; expected a text", "4:51"],
      ["COL150", 'PAGE breaks the axe rule image-alt: <img src="/assets/a.png">', "5:12"],
    ],
  },
  several: {
    source: pageSource(
      "Component: () => { const [open] = useState(false); const id = Math.random(); const at = Date.now() + new Date().getTime();\n" +
        "return <><h1>{new Intl.NumberFormat().format(id + at)}</h1>{open && <p style={{ color: 'red' }} />}</>; }",
      'import { useState } from "react";',
    ),
    problems: [
      ["COL101", "the section uses Date.now() on the server", "4:94"],
      ["COL101", "the section uses new Date() on the server", "4:102"],
      ["COL102", "the section uses Math.random() on the server", "4:68"],
      ["COL103", "the section uses Intl.NumberFormat on the server", "5:24"],
      ["COL120", 'the section contains the prop "style" of a <p> element', "5:69"],
    ],
  },
  browser: {
    source: pageSource(
      "Component: () => { const isHydrated = useHydrated(); if (!isHydrated) return <Later />; return <p>{Math.random()}</p>; }",
      'import { useHydrated } from "@colonnade/kit"; const Later = () => <p onClick={() => Date.now()} />; ' +
        "export const Other = () => <p>{window.innerWidth}</p>;",
    ),
    problems: [],
  },
  browserOnly: {
    source: pageSource(
      "browserOnly: true, fallback: () => <h1 title={document.title}>Lab</h1>,\nComponent: () => <><Wide /><p>{Math.random()}</p></>",
      "function Wide() { return <p>{window.innerWidth + Date.now()}</p>; }",
    ),
    problems: [["COL105", "the section uses document.title on the server", "4:47"]],
  },
  pending: {
    source: pageSource("data: () => new Promise(() => {})"),
    problems: [
      [
        "COL110",
        "data() of PAGE threw Error: its promise never settles: it waits for something that does not happen on the server",
        "4:7",
      ],
    ],
  },
  head: {
    source: pageSource("head: () => { throw new Error('broken'); }"),
    problems: [["COL110", "head() of PAGE threw Error: broken", "4:21"]],
  },
  layout: {
    source: pageSource("layout: () => { throw new Error('broken'); }"),
    problems: [["COL110", "layout() of PAGE threw Error: broken", "4:23"]],
  },
  paths: {
    source: pageSource("paths: () => { throw new Error('broken'); }"),
    problems: [["COL110", "paths() of the page /lab/paths threw Error: broken", "4:22"]],
  },
  module: {
    source: `throw new Error("broken");`,
    problems: [["COL110", "loading the page /lab/module threw Error: broken", "1:7"]],
  },
  loopInPaths: {
    source: pageSource("paths: () => { for (;;); }"),
    problems: [
      [
        "COL111",
        "paths() of the page /lab/loopInPaths exceeded 2000 ms of CPU time: is there an endless loop?",
        "4:16",
      ],
    ],
  },
  loopInMicrotasks: {
    source: pageSource("data: async () => { for (;;) await null; }"),
    problems: [
      ["COL111", "data() of PAGE exceeded 500 ms of CPU time: is there an endless loop?", expect.any(String) as string],
    ],
  },
  loopInComponent: {
    source: renders("{ for (;;); }"),
    problems: [["COL111", "rendering PAGE exceeded 500 ms of CPU time: is there an endless loop?", "4:20"]],
  },
  loopInModule: {
    source: "for (;;);\nexport const page = null;",
    problems: [
      ["COL111", "loading the page /lab/loopInModule exceeded 2000 ms of CPU time: is there an endless loop?", "1:1"],
    ],
  },
  router: {
    source: renders("<a href={useHref('/x')}>x</a>", "import { useHref } from 'react-router-dom';"),
    problems: [
      [
        "COL131",
        "rendering /lab/router (page /lab/router) used useHref() of another router than the shell's",
        expect.any(String) as string,
      ],
    ],
  },
  onePosition: {
    pattern: "/lab/onePosition/:id",
    source: pageSource(
      "paths: () => ['a', 'a-again', 'b'].map((id) => `/lab/onePosition/${id}`), data: ({ params }) => params.id[0], anyParams: true,\n" +
        "Component: ({ data }) => { throw new Error(data); }",
    ),
    problems: [
      ["COL110", "rendering /lab/onePosition/a (page /lab/onePosition/:id) threw Error: a", "5:34"],
      ["COL110", "rendering /lab/onePosition/b (page /lab/onePosition/:id) threw Error: b", "5:34"],
    ],
  },
  lazily: {
    source: renders(
      "<Suspense fallback={<p />}><h1>Lab</h1><Later /></Suspense>",
      'import { lazy, Suspense } from "react"; const Later = lazy(async () => import("./emptyStyle").then(() => ({ default: () => <p /> })));',
    ),
    problems: [],
  },
  emptyStyle: {
    source: renders("<h1 {...props}>Lab</h1>", "const props = { style: { color: undefined } };"),
    problems: [],
  },
  middle: {
    pattern: "/lab/middle/:id",
    source: pageSource(
      "anyParams: true, paths: () => [1, 2, 3, 4, 5].map((id) => `/lab/middle/${id}`), data: ({ params }) => params.id,\n" +
        "Component: ({ data }) => { if (data === '3') throw new Error('broken'); return <h1>{data}</h1>; }",
    ),
    problems: [["COL110", "rendering /lab/middle/3 (page /lab/middle/:id) threw Error: broken", "5:52"]],
  },
  unrendered: {
    pattern: "/lab/unrendered/:id",
    source: pageSource(
      "anyParams: true, paths: () => [1, 2, 3, 4, 5].map((id) => `/lab/unrendered/${id}`), data: ({ params }) => params.id,\n" +
        "Component: ({ data }) => { if (data === '2') throw new Error('broken'); return <h1>{data}</h1>; }",
    ),
    problems: [],
  },
  large: {
    source: pageSource("data: () => 'x'.repeat(1024 * 1024)"),
    problems: [
      [
        "COL113",
        expect.stringMatching(
          /^the page \/lab\/large and its data have 10\d{5} bytes; expected at most 1048576$/,
        ) as string,
        "2:139",
      ],
    ],
  },
  anything: {
    pattern: "/lab/anything/:id",
    source: pageSource("data: ({ params }) => params"),
    problems: [
      [
        "COL114",
        "data() of /lab/anything/no-such-id (page /lab/anything/:id) returns data; expected notFound(), because the params are made up",
        "4:7",
      ],
    ],
  },
  allowed: {
    source: pageSource(
      "data: () => ({ host: new URL('/x?b=1', 'https://a.example').host, query: new URLSearchParams({ q: 'ä' }).toString() }),\n" +
        "Component: ({ data }) => { const navigate = useNavigate(); if (data.host !== 'a.example' || data.query !== 'q=%C3%A4' " +
        "|| new Date('2026-01-01Z').getUTCDay() !== 4) throw new Error(JSON.stringify(data)); " +
        "return <button onClick={() => navigate('/elsewhere')}>{useSite().today}{useLocation().pathname}</button>; }",
      'import { useLocation, useNavigate, useSite } from "@colonnade/kit";',
    ),
    problems: [],
  },
};

const PACKAGES = {
  "src/node_modules/charts/package.json": '{ "name": "charts", "type": "module" }',
  "src/node_modules/charts/index.js": 'import { seed } from "dice"; export const Chart = () => seed;',
  "src/node_modules/dice/package.json": '{ "name": "dice", "type": "module" }',
  "src/node_modules/dice/index.js": "// A seed.\nexport const seed = Math.random();",
};

let checked: CheckedCases;
beforeAll(async () => {
  const uses = { source: USES_PAGE, pattern: "/lab/uses/:name", problems: [] };
  checked = await CheckedCases.check({ ...CASES, uses }, PACKAGES);
});

describe("what the sandbox rejects is reported with its line", () => {
  test.each(Object.entries(USES))("%s", (name, [, code, message, column]) => {
    const step = `data() of /lab/uses/${name} (page /lab/uses/:name)`;
    // Each statement is on the second of its two lines.
    const line = 7 + 2 * Object.keys(USES).indexOf(name);
    expect(checked.found("uses").filter(({ message: found }) => found.startsWith(step))).toEqual([
      { code, message: `${step} ${message}`, location: `src/pages/uses.tsx:${String(line)}:${String(column)}` },
    ]);
  });
});

describe("what code does on the server is reported with its line", () => {
  test.each(Object.keys(CASES))("%s", (name) => {
    expect(checked.found(name)).toEqual(checked.expected(name));
  });
});

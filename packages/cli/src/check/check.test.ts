// Runs `colonnade check` on sections that break the rules. Each section has many pages, because each run compiles the section.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { beforeAll, describe, expect, test } from "vitest";

import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import type { ProblemCode } from "./codes.js";
import type { Problem } from "./problem.js";

async function problemsIn(folder: string): Promise<Problem[]> {
  const { out, err } = await runCompiled(folder, ["check", "--json"], { COLONNADE_TOKEN: "" });
  if (out === "") throw new Error(err);
  return (JSON.parse(out) as { problems: Problem[] }).problems;
}

interface Case {
  /** Source of the page's module. */
  readonly source: string;
  /** The problems: code, message without the page, and line and column. */
  readonly problems: readonly (readonly [ProblemCode, string, string?])[];
}

/** A page whose component executes a statement. Its column is 20. */
const runs = (code: string): string => pageSource(`Component: () => { ${code}; return <h1>Lab</h1>; }`);
/** A page whose component returns JSX. Its column is 18. */
const renders = (jsx: string, imports?: string): string => pageSource(`Component: () => ${jsx}`, imports);

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

const COMPONENTS: Readonly<Record<string, Case>> = {
  emptyStyle: {
    source: renders("<h1 {...props}>Lab</h1>", "const props = { style: { color: undefined } };"),
    problems: [],
  },
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
  style: {
    source: renders("<h1 style={{ color: 'red' }}>Lab</h1>"),
    problems: [["COL120", 'the section contains the prop "style" of a <h1> element', "4:18"]],
  },
  html: {
    source: renders("<h1 dangerouslySetInnerHTML={{ __html: '<b style=\"color: red\">Lab</b>' }} />"),
    problems: [
      ["COL120", "PAGE contains a style attribute in the rendered HTML", "4:12"],
      ["COL121", 'the section contains the prop "dangerouslySetInnerHTML" of a <h1> element', "4:18"],
    ],
  },
  handler: {
    source: renders("<h1 onClick={'alert()' as never}>Lab</h1>"),
    problems: [["COL121", 'PAGE contains a string as the event handler "onClick" of a <h1> element', "4:18"]],
  },
  script: {
    source: renders("<script src='/x.js' />"),
    problems: [["COL122", "the section contains a <script> element", "4:18"]],
  },
  formAction: {
    source: renders(
      "{ const [, send] = useActionState(save, null); return <><h1>Lab</h1><form action={send} />\n" +
        "<form action={actions.save} /></>; }",
      'import { useActionState } from "react"; const save = async () => null; const actions = { save: async () => {} };',
    ),
    problems: [
      ["COL122", 'the section contains the prop "action" of a <form> element with a function', "4:86"],
      ["COL122", 'PAGE contains the prop "action" of a <form> element with a function', "5:1"],
    ],
  },
  css: {
    source: renders("<div><style>{'a {}'}</style></div>"),
    problems: [["COL123", "the section contains a <style> element", "4:23"]],
  },
  frames: {
    source: renders(
      "<><h1>Lab</h1><iframe title='x' src='/x' />\n<iframe title='x' srcDoc='<b>x</b>' />\n<object {...props} /></>",
      "const props = { data: '/x.pdf', title: 'x' };",
    ),
    problems: [
      ["COL121", 'the section contains the prop "srcDoc" of a <iframe> element', "5:1"],
      ["COL125", 'the section contains the prop "src" of a <iframe> element', "4:32"],
      ["COL125", 'PAGE contains the prop "data" of a <object> element', "6:1"],
    ],
  },
  urls: {
    source: renders(
      "<><h1 onClick={() => fetch('https://a.example/x')}>Lab</h1>\n<img alt='' src={IMAGE} />\n" +
        "<video src='//a.example/x.mp4' /></>",
      "const IMAGE = ['https:', '', 'a.example', 'x.png'].join('/');",
    ),
    problems: [
      ["COL125", 'the section contains the URL "https://a.example/x" in a call of fetch()', "4:39"],
      ["COL125", 'PAGE contains the URL "https://a.example/x.png" as the prop "src" of a <img> element', "5:1"],
      ["COL125", 'the section contains the URL "//a.example/x.mp4" as the prop "src" of a <video> element', "6:1"],
    ],
  },
  misplaced: {
    source: renders(
      "<><h1>Lab</h1><svg><use href='/icons.svg#map' /></svg><img alt='' src='/api/photos/1.png' />\n" +
        "<img alt='' src='/assets/hello/1.0.0/a.png' /><img alt='' src={LOGO} />\n<img alt='' srcSet={`/a.png 1x, ${LOGO} 2x`} /></>",
      "const LOGO = '/logo.png';",
    ),
    problems: (
      [
        ["use", "href", "/icons.svg#map", "4:37"],
        ["img", "src", "/logo.png", "5:47"],
        ["img", "srcSet", "/a.png", "6:1"],
      ] as const
    ).map(([tag, prop, url, at]) => [
      "COL125",
      `the section contains the path "${url}" as the prop "${prop}" of a <${tag}> element, where no release has a file`,
      at,
    ]),
  },
  created: {
    source: renders(
      "<><h1 onClick={() => show(URL.createObjectURL(FILE))}>Lab</h1><img alt='' src={url} />\n" +
        "<video src={url} onClick={() => show(canvas.toDataURL())} /></>",
      "let url = '/a.png'; const FILE = null; const canvas: any = null; const show = (next: string) => { url = next; };",
    ),
    problems: [
      ["COL125", "the section contains a call of createObjectURL(): no image can have its blob: URL", "4:48"],
      ["COL125", "the section contains a call of createObjectURL(): no audio or video can have its blob: URL", "4:48"],
      ["COL125", "the section contains a call of toDataURL(): no image can have its data: URL", "5:45"],
    ],
  },
  content: {
    source: pageSource(
      "data: () => parseHtml('<img alt=a src=https://a.example/x.png>'),\nComponent: ({ data }) => <><h1>Lab</h1><Html source={data} /></>",
      'import { Html, parseHtml } from "@colonnade/kit/html";',
    ),
    problems: [
      ["COL125", 'PAGE contains the URL "https://a.example/x.png" as the prop "src" of a <img> element', "5:12"],
    ],
  },
  targets: {
    source: renders(
      "<><h1>Lab</h1><form action={`${ORIGIN}/subscribe`} />\n<link rel='stylesheet' href={`${ORIGIN}/x.css`} /></>",
      "const ORIGIN = ['https:', '', 'a.example'].join('/');",
    ),
    problems: [
      [
        "COL125",
        'PAGE contains the URL "https://a.example/subscribe" as the prop "action" of a <form> element',
        "4:32",
      ],
      ["COL125", 'PAGE contains the URL "https://a.example/x.css" as the prop "href" of a <link> element', "5:1"],
    ],
  },
  emotion: {
    source: renders(
      "<Title>Lab</Title>",
      "import styled from '@emotion/styled'; const Title = styled.h1`color: red;`;",
    ),
    problems: [["COL123", "the section imports @emotion/styled", "1:46"]],
  },
  recharts: {
    source: renders("<LineChart />", 'import { LineChart } from "recharts";'),
    problems: [
      [
        "COL102",
        expect.stringMatching(
          /^loading the page \/lab\/recharts used Math\.random\(\) in the package redux, which recharts imports \(.*node_modules\/redux\/\S+:\d+:\d+\)$/,
        ) as string,
        "1:46",
      ],
      ["COL140", expect.stringMatching(/^the page \/lab\/recharts loads .*: recharts \d/) as string],
    ],
  },
};

const TITLE = "A title that is longer than what search engines show of it, in letters";

const OTHERS: Readonly<Record<string, Case>> = {
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
  later: {
    source: renders(
      "{ const [open, setOpen] = useState(false); return <button onClick={() => { setOpen(true); document.body.innerHTML = ''; }}>" +
        "{open && <p dangerouslySetInnerHTML={{ __html: '' }}><script src='/x.js' /><style>a</style></p>}Open</button>; }",
      'import { useState } from "react";',
    ),
    problems: [
      ["COL121", "the section sets innerHTML", expect.any(String) as string],
      [
        "COL121",
        'the section contains the prop "dangerouslySetInnerHTML" of a <p> element',
        expect.any(String) as string,
      ],
      ["COL122", "the section contains a <script> element", expect.any(String) as string],
      ["COL123", "the section contains a <style> element", expect.any(String) as string],
    ],
  },
  spread: {
    source: renders(
      "{ const [open, setOpen] = useState(false); return <button onClick={() => {\nsetOpen(new Function('return true')());\n" +
        "setTimeout('show()'); }}>{open && <b {...html} />}Open</button>; }",
      'import { useState } from "react"; const html = { dangerouslySetInnerHTML: { __html: "" } };',
    ),
    problems: [
      ["COL121", 'the section contains the prop "dangerouslySetInnerHTML"', "1:95"],
      ["COL121", "the section uses Function()", "5:13"],
      ["COL121", "the section uses setTimeout() with a string", "6:1"],
    ],
  },
  habits: {
    source: pageSource(
      "Component: () => { const isServer = typeof window === 'undefined'; const items = ['a', 'b'];\n" +
        "return <><h1>Lab {import.meta.env.VITE_TITLE}{String(isServer)}</h1>\n" +
        "{items.map((item) => <p>{item}</p>)}{[<p key='a'>Keyed</p>]}\n" +
        "<p>{isServer ? 'On' : 'Off'} <b>{isServer && 'server'}</b></p></>; }",
    ),
    problems: [
      [
        "COL105",
        "the section tests typeof window in a render, so the server and the browser render different pages",
        "4:37",
      ],
      ["COL130", "the section uses import.meta.env.VITE_TITLE, which neither browsers nor the gateway have", "5:19"],
      ["COL153", "the section renders a list whose elements have no key", "6:22"],
      ["COL154", "the section renders a conditional text next to other content", "7:5"],
    ],
  },
  headElements: {
    source: renders("<><h1>Lab</h1><title>Lab</title></>"),
    problems: [["COL115", "the section contains a <title> element, which changes the document's head", "4:32"]],
  },
  renderedHead: {
    source: renders(
      "<><h1>Lab</h1><Meta name='robots' content='all' /><svg aria-hidden><title>Icon</title></svg>\n" +
        "<span itemScope><meta itemProp='price' content='1' /></span></>",
      'const Meta = "meta";',
    ),
    problems: [["COL115", "PAGE contains a <meta> element, which changes the document's head", "4:12"]],
  },
  headings: {
    source: pageSource("Component: () => <><h1>Lab</h1><h1 hidden>Lab</h1><h1>Again</h1></>"),
    problems: [["COL152", "PAGE has 2 h1 elements; expected one", "4:12"]],
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
  noFallback: {
    source: pageSource("browserOnly: true as never"),
    problems: [
      [
        "COL100",
        'the page "/lab/noFallback" has no fallback; expected definePage({ data, head, Component, fallback })',
        "2:26",
      ],
    ],
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
  noHead: {
    source: pageSource("head: undefined as never,\nComponent: () => <h1>Lab</h1>"),
    problems: [
      ["COL115", 'the page "/lab/noHead" has no head; expected definePage({ data, head, Component })', "2:26"],
    ],
  },
  noComponent: {
    source: pageSource("Component: undefined as never,\ndata: () => null"),
    problems: [
      ["COL100", 'the page "/lab/noComponent" has no Component; expected definePage({ data, head, Component })', "5:7"],
    ],
  },
  layout: {
    source: pageSource("layout: () => { throw new Error('broken'); }"),
    problems: [["COL110", "layout() of PAGE threw Error: broken", "4:23"]],
  },
  paths: {
    source: pageSource("paths: () => { throw new Error('broken'); }"),
    problems: [["COL110", "paths() of the page /lab/paths threw Error: broken", "4:22"]],
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
  module: {
    source: `throw new Error("broken");`,
    problems: [["COL110", "loading the page /lab/module threw Error: broken", "1:7"]],
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
  variable: {
    source: pageSource("", "export const url = () => process.env.API_URL + String(process.env.NODE_ENV);"),
    problems: [["COL130", "the section uses process.env.API_URL, which neither browsers nor the gateway have", "1:71"]],
  },
  variables: {
    source: pageSource("", "export const url = () => { const { API_URL } = process.env; return API_URL; };"),
    problems: [["COL130", "the section uses process.env, which neither browsers nor the gateway have", "1:93"]],
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
  renderer: {
    source: pageSource("", 'import { renderToString } from "react-dom/server"; export { renderToString };'),
    problems: [
      ["COL131", "the section imports react-dom/server, which is not for sections", "1:46"],
      // Sizes are known because another page has a problem in a package.
      ["COL140", expect.stringMatching(/^the page \/lab\/renderer loads .*: react-dom \d/) as string],
    ],
  },
  styled: {
    source: renders(
      "<Title>Lab</Title>",
      "import styled from 'styled-components'; const Title = styled.h1`color: red;`;",
    ),
    problems: [["COL123", "the section imports styled-components", "1:46"]],
  },
  shell: {
    source: pageSource("data: async () => { await import('@colonnade/kit/shell'); return null; }"),
    problems: [["COL131", "the section imports @colonnade/kit/shell, which is not for sections", "4:27"]],
  },
  required: {
    source: pageSource("data: () => { require('@colonnade/shell'); return null; }"),
    problems: [["COL131", "the section imports @colonnade/shell, which is not for sections", "4:15"]],
  },
  emptyHead: {
    source: pageSource("head: () => ({ title: '', description: 'Lab', canonical: 'https://a.example/' })"),
    problems: [
      ["COL115", "the head of /lab/emptyHead has no title; expected a text", "4:7"],
      [
        "COL115",
        'the canonical path of /lab/emptyHead is "https://a.example/"; expected a path of this site, percent-encoded',
        "4:7",
      ],
    ],
  },
  strayHead: {
    source: pageSource(
      'head: () => ({ title: "Lab", description: "Lab", canonical: "/lab/strayHead", ' +
        'language: "de_AT", alternates: [{ language: "x-default", path: "en/lab" }, { language: "english", path: "/" }], ' +
        'social: { title: "Lab", description: "Lab", type: "article", url: "//a.example" }, ' +
        'breadcrumbs: [{ label: "Home", path: "/" }, { label: "Lab", path: "/the lab" }] })',
    ),
    problems: [
      [
        "COL115",
        'the alternate path of /lab/strayHead is "en/lab"; expected a path of this site, percent-encoded',
        "4:7",
      ],
      [
        "COL115",
        'the social URL of /lab/strayHead is "//a.example"; expected a path of this site, percent-encoded',
        "4:7",
      ],
      [
        "COL115",
        'the breadcrumb path of /lab/strayHead is "/the lab"; expected a path of this site, percent-encoded',
        "4:7",
      ],
      ...["de_AT", "english"].map(
        (tag) =>
          [
            "COL115",
            `a language of /lab/strayHead is "${tag}"; expected a language tag (BCP 47), such as "de" or "pt-BR"`,
            "4:7",
          ] as const,
      ),
    ],
  },
  search: {
    source: pageSource(`head: () => ({ title: "${TITLE}", description: "${"x".repeat(161)}", canonical: "/lab" })`),
    problems: [
      ["COL116", "the title of /lab/search has 70 characters", "4:7"],
      ["COL116", "the description of /lab/search has 161 characters", "4:7"],
      ["COL116", "the canonical path of /lab/search is /lab", "4:7"],
    ],
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
    source: pageSource("data: ({ params }) => params"),
    problems: [
      [
        "COL114",
        "data() of /lab/anything/no-such-id (page /lab/anything/:id) returns data; expected notFound(), because the params are made up",
        "4:7",
      ],
    ],
  },
  article: {
    source: pageSource(
      "data: ({ params }) => params.id === '1' ? null : notFound()",
      'import { notFound } from "@colonnade/kit";',
    ),
    problems: [
      [
        "COL117",
        "/lab/links (page /lab/links) links to /lab/article/2, but data() of the page /lab/article/:id is notFound()",
        expect.any(String) as string,
      ],
    ],
  },
  links: {
    source: renders(
      "<><h1>Lab</h1><p><Link to='/lab/article/1'>1</Link> <a href='article/2#a'>2</a> <a href='/lab/search/?q'>3</a> " +
        "<a href='/lab/nowhere'>4</a> <a href='/elsewhere'>5</a> <a href='https://a.example/lab/x'>6</a></p></>",
      'import { Link } from "@colonnade/kit";',
    ),
    problems: [
      ["COL117", "PAGE links to /lab/article/2, but data() of the page /lab/article/:id is notFound()", "4:12"],
      ["COL118", "PAGE links to /lab/nowhere, which no page of the section matches", "4:12"],
    ],
  },
  invalidLinks: {
    source: renders(
      "<><h1>Lab</h1><a href='http://'>1</a>\n<a href={BAD}>2</a>\n<Link to='https://exa mple.com/'>3</Link>" +
        "<a href='mailto:a@a.example'>4</a><a href='#top'>5</a></>",
      'import { Link } from "@colonnade/kit"; const BAD = ["https:", "", ""].join("/");',
    ),
    problems: [
      ["COL117", 'PAGE contains a link to "http://", which is not a valid URL', "4:32"],
      ["COL117", 'PAGE contains a link to "https://", which is not a valid URL', "5:1"],
      ["COL117", 'PAGE contains a link to "https://exa mple.com/", which is not a valid URL', "6:1"],
    ],
  },
  faults: {
    source: renders("<><h1>Lab</h1><img src='/assets/a.png' /><img src='/assets/b.png' /><h3>Lab</h3></>"),
    problems: [
      ["COL150", 'PAGE breaks the axe rule image-alt: <img src="/assets/a.png"> and 1 more', "4:12"],
      ["COL151", "PAGE breaks the axe rule heading-order: <h3>Lab</h3>", "4:12"],
    ],
  },
  fileForm: {
    source: renders(
      "<><h1>Lab</h1><MutationForm action='/api/lab/photos'>\n<input type='file' name='photo' aria-label='Photo' /></MutationForm>\n" +
        "<form method='POST' encType='multipart/form-data'><input type='file' name='a' aria-label='A' /></form>\n" +
        "<form method='post'><input type='file' aria-label='Only for a preview' /></form>\n" +
        "<form><input type='file' name='b' aria-label='B' /></form></>",
      'import { MutationForm } from "@colonnade/kit/data";',
    ),
    problems: [["COL155", 'PAGE posts the file input "photo" in a form without encType="multipart/form-data"', "4:12"]],
  },
  onePosition: {
    source: pageSource(
      "paths: () => ['a', 'a-again', 'b'].map((id) => `/lab/onePosition/${id}`), data: ({ params }) => params.id[0], anyParams: true,\n" +
        "Component: ({ data }) => { throw new Error(data); }",
    ),
    problems: [
      ["COL110", "rendering /lab/onePosition/a (page /lab/onePosition/:id) threw Error: a", "5:34"],
      ["COL110", "rendering /lab/onePosition/b (page /lab/onePosition/:id) threw Error: b", "5:34"],
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
  lazily: {
    source: renders(
      "<Suspense fallback={<p />}><h1>Lab</h1><Later /></Suspense>",
      'import { lazy, Suspense } from "react"; const Later = lazy(async () => import("./emptyStyle").then(() => ({ default: () => <p /> })));',
    ),
    problems: [],
  },
  middle: {
    source: pageSource(
      "anyParams: true, paths: () => [1, 2, 3, 4, 5].map((id) => `/lab/middle/${id}`), data: ({ params }) => params.id,\n" +
        "Component: ({ data }) => { if (data === '3') throw new Error('broken'); return <h1>{data}</h1>; }",
    ),
    problems: [["COL110", "rendering /lab/middle/3 (page /lab/middle/:id) threw Error: broken", "5:52"]],
  },
  unrendered: {
    source: pageSource(
      "anyParams: true, paths: () => [1, 2, 3, 4, 5].map((id) => `/lab/unrendered/${id}`), data: ({ params }) => params.id,\n" +
        "Component: ({ data }) => { if (data === '2') throw new Error('broken'); return <h1>{data}</h1>; }",
    ),
    problems: [],
  },
  facts: {
    source: pageSource(
      "data: ({ site: { facts } }) => ('promo' in facts ? facts.promo : JSON.stringify([facts, facts.phone]) + facts.hours[0]),\n" +
        "Component: () => <h1>Lab</h1>",
    ),
    problems: [
      ["COL110", "data() of PAGE threw TypeError: Cannot read properties of undefined (reading '0')", "4:116"],
      ["COL132", 'PAGE contains a read of the fact "hours", which section.config.js does not list', "4:111"],
    ],
  },
  configuration: {
    source: renders(
      "{ const config = useConfig(); return <h1>{'promo' in config ? '' : config.endpoint.toUpperCase()}{config.limit}</h1>; }",
      'import { useConfig } from "@colonnade/kit";',
    ),
    problems: [
      [
        "COL132",
        'PAGE contains a read of the configuration value "limit", which section.config.js does not list',
        "4:123",
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

const PAGES = { ...COMPONENTS, ...OTHERS };
const PATTERNS: Readonly<Record<string, string>> = {
  middle: "/lab/middle/:id",
  unrendered: "/lab/unrendered/:id",
  anything: "/lab/anything/:id",
  article: "/lab/article/:id",
  onePosition: "/lab/onePosition/:id",
  uses: "/lab/uses/:name",
};

// The gateway's rules are the same: gateway/crates/platform/src/publish/style/tests.rs.
const STYLES = {
  "src/styles/global.css": "@import 'https://a.example/y.css';\n@import 'https://a.example/x.css' print;\nbody {}\n",
  "src/styles/local.module.css": ".a, .b:is(p) { p, & a {} :not(&) {} }\nul:not(.a) {}\n@scope (.a) { p {} }\n",
  "src/styles/names.css": "@layer a { p {} }\n@counter-style dots {}\n@view-transition {}\n",
  "src/styles/nested.module.scss": "$tag: ul;\n\n.a {\n  color: red;\n}\n#{$tag} li {\n  color: red;\n}\n",
};
const BLOCKED_STYLES = {
  "src/styles/urls.module.css":
    '.a { color: red; }\n@font-face {\n  font-family: hello_a;\n  src: local("a"), url("https://a.example/a.woff2");\n}\n' +
    '.b {\n  background: url(#c);\n  mask: URL("//a.example/m.svg");\n}\n.c { --d: url("data:image/png;base64,AA=="); }\n' +
    '.d::after { background: image-set("https://a.example/i.png" 1x); content: "https://a.example"; }\n',
};
const CLASS = "has no class of the section's CSS modules outside :not() and :has()";

const CONFIG = {
  "section.config.js":
    'export default { name: "hello", entry: "./src/section.ts", facts: { phone: "string" }, config: { endpoint: "string" } };\n',
};

let problems: Problem[];
beforeAll(async () => {
  const sources = Object.entries(PAGES).map(([name, { source }]) => [name, source] as const);
  const styles = Object.keys({ ...STYLES, ...BLOCKED_STYLES }).map(
    (file) => `import "../styles/${file.slice("src/styles/".length)}";`,
  );
  sources.push(["uses", USES_PAGE]);
  sources.push(["styles", pageSource("", styles.join(" "))]);
  problems = await problemsIn(
    await labSection(Object.fromEntries(sources), PATTERNS, { ...STYLES, ...BLOCKED_STYLES, ...CONFIG }),
  );
});

/** Problems of a page: those that name its path or its file. The components have no headings unless they matter. */
function problemsOf(name: string): Omit<Problem, "help" | "severity">[] {
  return problems
    .filter(({ message }) => !message.includes("page-has-heading-one"))
    .filter(({ message, location }) =>
      new RegExp(`/lab/${name}\\b|/${name}\\.tsx:`).test(`${message} ${location ?? ""}`),
    )
    .map(({ code, message, location }) => ({ code, message, location }));
}

function expectedProblems(name: string, { problems: expected }: Case): unknown[] {
  return expected.map(([code, message, position]) => ({
    code,
    message:
      typeof message !== "string"
        ? message
        : message.replace("PAGE", `/lab/${name} (page ${PATTERNS[name] ?? `/lab/${name}`})`),
    location: typeof position === "string" ? `src/pages/${name}.tsx:${position}` : position,
  }));
}

describe("what the sandbox rejects is reported with its line", () => {
  test.each(Object.entries(USES))("%s", (name, [, code, message, column]) => {
    const step = `data() of /lab/uses/${name} (page /lab/uses/:name)`;
    // Each statement is on the second of its two lines.
    const line = 7 + 2 * Object.keys(USES).indexOf(name);
    expect(problemsOf("uses").filter(({ message: found }) => found.startsWith(step))).toEqual([
      { code, message: `${step} ${message}`, location: `src/pages/uses.tsx:${String(line)}:${String(column)}` },
    ]);
  });
});

describe("what a component does is reported with its line", () => {
  test.each(Object.entries(COMPONENTS))("%s", (name, expected) => {
    expect(problemsOf(name)).toEqual(expectedProblems(name, expected));
  });
});

describe("what another part of a page does is reported", () => {
  test.each(Object.entries(OTHERS))("%s", (name, expected) => {
    expect(problemsOf(name)).toEqual(expectedProblems(name, expected));
  });
});

test.each(["emotion", "styled-components"])("%s is named with the alternative", (library) => {
  const expected = `${library} creates style elements, which the browser blocks. Use CSS modules instead.`;
  expect(problems.filter(({ help }) => help.startsWith(expected))).toHaveLength(1);
});

test("unscoped styles are reported with the line of the source", () => {
  const found = problems
    .filter(({ code }) => code === "COL124")
    .map(({ location, message }) => `${location ?? ""} ${message}`);
  expect(found).toEqual([
    "src/styles/global.css:1:1 @import url(https://a.example/y.css) is not allowed",
    "src/styles/global.css:2:1 @import url(https://a.example/x.css) is not allowed",
    `src/styles/local.module.css:1:26 the selector :not(&) ${CLASS}`,
    expect.stringMatching(/^src\/styles\/local\.module\.css:2:1 the selector ul:not\(\.hello_a_\S+\) has no class/),
    "src/styles/names.css:2:1 @counter-style dots must have a name that starts with hello_",
    "src/styles/names.css:3:1 @view-transition is not allowed in a section's stylesheet",
    `src/styles/nested.module.scss:6:1 the selector ul li ${CLASS}`,
  ]);
});

test("a setting that is not listed is reported with the line to add", () => {
  const found = problems.filter(({ code }) => code === "COL132").map(({ help }) => help);
  expect(found.toSorted()).toEqual([
    'Add it to section.config.js, with its type: config: { limit: "string" }.',
    'Add it to section.config.js, with its type: facts: { hours: "string" }.',
  ]);
});

test("a function as the action of a form is reported with what to use instead", () => {
  const found = problems.filter(({ code, message }) => code === "COL122" && message.includes("function"));
  expect(found).toHaveLength(2);
  for (const { help } of found) expect(help).toMatch(/^Use MutationForm of .* onSubmit/);
});

test("what the policy can permit is reported with the setting that asks for it", () => {
  const helpOf = (page: string, code: ProblemCode): (string | undefined)[] =>
    problems
      .filter((problem) => problem.code === code && problem.location?.startsWith(`src/pages/${page}.tsx`))
      .map(({ help }) => /If the operator permits it: (.*) of site.toml/.exec(help)?.[1]);
  const lines = (own: string, site: string): string =>
    `policy: { ${own} } in section.config.js, and ${site} in [policy.sections.<name>]`;
  expect(helpOf("urls", "COL125")).toEqual([
    lines('connections: ["a.example"]', 'connections = ["a.example"]'),
    lines('images: ["a.example"]', 'images = ["a.example"]'),
    lines('media: ["a.example"]', 'media = ["a.example"]'),
  ]);
  expect(helpOf("css", "COL123")).toEqual([lines("styleElements: true", "style_elements = true")]);
  expect(helpOf("frames", "COL121")).toEqual([lines('trustedTypes: "report"', 'trusted_types = "report"')]);
  expect([...helpOf("targets", "COL125"), ...helpOf("handler", "COL121"), ...helpOf("script", "COL122")]).toEqual(
    Array.from({ length: 4 }),
  );
});

test("what the policy of the section permits is no problem", async () => {
  const image = renders(
    "<><h1 style={{ color: COLOR }}>Lab</h1><img alt='' src={IMAGE} /></>",
    ["const COLOR = 'red'; const IMAGE = 'https://cdn.a.example/x.png';", "import '../styles.css';"].join(" "),
  );
  const html = renders(
    "<><h1>Lab</h1><style>{'a {}'}</style><p dangerouslySetInnerHTML={{ __html: '<b>a</b>' }} /></>",
  );
  const blocked = renders("<h1 onClick={() => eval('1')}>Lab<iframe title='x' src='https://b.example/x' /></h1>");
  const folder = await labSection(
    { image, html, blocked },
    {},
    {
      "section.config.js": `export default { name: "hello", entry: "./src/section.ts", policy: {
      images: ["*.a.example"], frames: ["a.example"], styleAttributes: true, styleElements: true, trustedTypes: "report",
    } };`,
      "src/styles.css": ".hello_a { background: url(https://img.a.example/x.png) }",
    },
  );
  const found = (await problemsIn(folder)).map(({ code, message }) => `${code} ${message}`);
  expect(found).toEqual([
    "COL121 the section uses eval()",
    'COL125 the section contains the prop "src" of a <iframe> element',
  ]);
});

test("a style element is a warning if the policy permits only hashes", async () => {
  const hash = `sha256-${"A".repeat(43)}=`;
  const config = `export default { name: "hello", entry: "./src/section.ts", policy: { styleElements: ["${hash}"] } };`;
  const page = renders("<div><h1>Lab</h1><style>{'a {}'}</style></div>");
  const [found, ...others] = await problemsIn(await labSection({ page }, {}, { "section.config.js": config }));
  expect(found).toMatchObject({ code: "COL123", severity: "warning", help: expect.stringContaining(hash) as string });
  expect(others).toEqual([]);
});

test("what the policy blocks in packages is a warning, with the line of the import and of the package", async () => {
  const page = renders(
    "<h1 onClick={() => { work(); show(document.body); void import('../lazy'); }}>Lab</h1>",
    'import { work } from "worker"; import { show } from "styler/show";\nimport { canCompile } from "zod"; export { canCompile };',
  );
  const schema = renders("<h1>{String(canCompile)}</h1>", 'import { canCompile } from "../schema";');
  const folder = await labSection(
    { page, a: schema, b: schema, c: schema },
    {},
    {
      "src/lazy.ts": 'export { canCompile } from "./schema";',
      "src/schema.ts": 'export { canCompile } from "zod";',
      "src/node_modules/worker/package.json": '{ "name": "worker", "type": "module", "sideEffects": false }',
      "src/node_modules/worker/index.js": 'export { work } from "./work.js"; export { unused } from "./unused.js";',
      "src/node_modules/worker/work.js": "export const work = () =>\n  new Function('return 1')() + eval('1');",
      "src/node_modules/worker/unused.js": "export const unused = () => document.write('<b>');",
      "src/node_modules/zod/package.json": '{ "name": "zod", "type": "module" }',
      "src/node_modules/zod/index.js":
        "export const own = (F) => new F();\nexport const canCompile = () => {\n  const F = Function;\n  return new F('');\n};",
      "src/node_modules/styler/package.json": '{ "name": "styler", "type": "module" }',
      "src/node_modules/styler/show.js": [
        "export function show(element) {",
        "  element.innerHTML = '';",
        "  element.style.color = 'red';",
        "  element.append(document.createElement('style'));",
        "}",
      ].join("\n"),
    },
  );
  const entry = path.join(folder, "src/section.ts");
  await writeFile(entry, `import "styler/show";\n${await readFile(entry, "utf8")}`);
  const { out } = await runCompiled(folder, ["check", "--json"]);
  const { problems: found } = JSON.parse(out) as { problems: Problem[] };
  expect(found.map(({ code, severity, message, location }) => [code, severity, message, location])).toEqual([
    [
      "COL121",
      "warning",
      "the section uses Function() in the package worker (src/node_modules/worker/work.js:2:1)",
      "src/pages/page.tsx:1:46",
    ],
    [
      "COL121",
      "warning",
      "the section uses Function() in the package zod (src/node_modules/zod/index.js:4:1), " +
        "loaded by src/lazy.ts, src/pages/a.tsx, src/pages/b.tsx and 2 more",
      "src/pages/page.tsx:2:1",
    ],
    [
      "COL123",
      "warning",
      "the section creates a <style> element in the package styler (src/node_modules/styler/show.js:4:1), loaded by every page",
      "src/section.ts:1:1",
    ],
  ]);
  expect(found[1]?.help).toMatch(/z\.config\(\{ jitless: true \}\)/);
});

test("an import of another origin has advice of its own", () => {
  const found = problems.filter(({ message }) => message.startsWith("@import"));
  expect(found.map(({ help }) => help)).toEqual([
    expect.stringMatching(/^Add the stylesheet/),
    expect.stringMatching(/^Add the stylesheet/),
  ]);
});

test("a URL that another module of the section creates is a warning", async () => {
  const page = renders(
    "<><h1 onClick={() => show(preview(FILE))}>Lab</h1><img alt='' src={url} /><video src={tea} /></>",
    "import { preview } from '../preview'; import tea from '../tea.svg'; const FILE = null; let url = '/a.png'; const show = (next: string) => { url = next; };",
  );
  const preview = "export const preview = (file: Blob | null) => (file ? URL.createObjectURL(file) : '');";
  const found = await problemsIn(
    await labSection({ page }, {}, { "src/preview.ts": preview, "src/tea.svg": "<svg/>" }),
  );
  expect(found.map(({ code, message, location }) => [code, message, location])).toEqual([
    [
      "COL125",
      "the section contains a call of createObjectURL(): no image can have its blob: URL",
      "src/preview.ts:1:59",
    ],
  ]);
});

test("a URL that a script creates is a warning with its permission", () => {
  const found = problems.filter(({ message }) => message.includes("createObjectURL"));
  const help = (key: string): unknown =>
    expect.stringContaining(
      ` policy: { ${key}: ["blob:"] } in section.config.js, and ${key} = ["blob:"] in [policy.sections.`,
    );
  expect(found.map(({ severity, ...rest }) => [severity, rest.help])).toEqual([
    ["warning", help("images")],
    ["warning", help("media")],
  ]);
});

test("blocked URLs of stylesheets have the line of the source", () => {
  const found = problems
    .filter(({ code, message }) => code === "COL125" && message.includes(" in the property "))
    .map(({ location, message }) => `${location ?? ""} ${message}`);
  const at = "src/styles/urls.module.css";
  expect(found).toEqual([
    `${at}:4:3 the section contains the URL "https://a.example/a.woff2" in the property "src"`,
    `${at}:8:3 the section contains the URL "//a.example/m.svg" in the property "mask"`,
    `${at}:10:6 the section contains the URL "data:image/png;base64,AA==" in the property "--d"`,
    `${at}:11:13 the section contains the URL "https://a.example/i.png" in the property "background"`,
  ]);
});

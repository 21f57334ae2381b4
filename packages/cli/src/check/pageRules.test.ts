// Runs `colonnade check` on pages that break the rules of pages, other than those of the sandbox and of the policy.
import { beforeAll, describe, expect, test, vi } from "vitest";

import { CheckedCases, renders, type Cases } from "../../fixtures/cases.js";
import { pageSource } from "../../fixtures/lab.js";

/** A page for an app of {@link APPS}. */
const appSource = (name: string, imports = "", props = ""): string =>
  pageSource(
    `anyParams: true, browserOnly: true, fallback: () => <h1>Lab</h1>, Component: () => <App ${props} />`,
    `${imports} import { lazy } from "react"; const App = lazy(() => import("../apps/${name}App"));`,
  );

const APPS = {
  "src/apps/browserApp.tsx":
    'import type { ReactElement } from "react";\nimport { BrowserRouter } from "react-router-dom";\n' +
    "export default ({ basename }: { basename: string }): ReactElement => <BrowserRouter basename={basename} />;\n",
  "src/apps/historyApp.tsx":
    'import { UNSAFE_createBrowserHistory, unstable_HistoryRouter as Router } from "react-router-dom";\n' +
    "export default () => <Router history={UNSAFE_createBrowserHistory()} />;\n",
  "src/apps/memoryApp.tsx":
    'import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";\n' +
    "const router = () => createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });\n" +
    "export default () => <RouterProvider router={router()} />;\n",
};

const TITLE = "A title that is longer than what search engines show of it, in letters";

const CASES: Cases = {
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
  pathsList: {
    source: pageSource("paths: ['/lab/pathsList'] as never"),
    problems: [
      [
        "COL100",
        'paths of the page "/lab/pathsList" is an array; expected a function, such as () => ["/lab/pathsList"]',
        "2:26",
      ],
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
  variable: {
    source: pageSource("", "export const url = () => process.env.API_URL + String(process.env.NODE_ENV);"),
    problems: [["COL130", "the section uses process.env.API_URL, which neither browsers nor the gateway have", "1:71"]],
  },
  variables: {
    source: pageSource("", "export const url = () => { const { API_URL } = process.env; return API_URL; };"),
    problems: [["COL130", "the section uses process.env, which neither browsers nor the gateway have", "1:93"]],
  },
  app: {
    pattern: "/lab/app/*",
    source: appSource("browser", "", "basename='/lab/app'"),
    problems: [
      [
        "COL157",
        'the page "/lab/app/*" uses BrowserRouter of react-router-dom, but does not call useBasename()',
        "src/apps/browserApp.tsx:2:1",
      ],
    ],
  },
  appHistory: {
    pattern: "/lab/appHistory/*",
    source: appSource("history"),
    problems: [
      [
        "COL157",
        'the page "/lab/appHistory/*" uses UNSAFE_createBrowserHistory of react-router-dom, but does not call useBasename()',
        "src/apps/historyApp.tsx:1:1",
      ],
    ],
  },
  appMemory: { pattern: "/lab/appMemory/*", source: appSource("memory"), problems: [] },
  appBasename: {
    pattern: "/lab/appBasename/*",
    source: appSource("browser", 'import { useBasename } from "@colonnade/kit/basename";', "basename={useBasename()}"),
    problems: [],
  },
  renderer: {
    source: pageSource("", 'import { renderToString } from "react-dom/server"; export { renderToString };'),
    problems: [
      ["COL131", "the section imports react-dom/server, which is not for sections", "1:46"],
      // Sizes are known because another page has a problem in a package.
      ["COL140", expect.stringMatching(/^the page \/lab\/renderer loads .*: react-dom \d/) as string],
    ],
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
  article: {
    pattern: "/lab/article/:id",
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
  find: {
    source: pageSource(
      "search: defineSearch({ page: v.optional(v.number(), 1) }),\nComponent: () => <><h1>Lab</h1>" +
        "<p><a href='?page=2&other=abc'>2</a> <a href='?page'>1</a> <Link to='/lab/find/?page=abc'>abc</Link></p></>",
      'import { Link } from "@colonnade/kit"; import { defineSearch } from "@colonnade/kit/search"; import * as v from "valibot";',
    ),
    problems: [
      ["COL117", "PAGE links to /lab/find?page=abc, but the search of the page /lab/find rejects its query", "5:12"],
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
    source: renders(
      "<><h1>Lab</h1><img src='/assets/a.png' /><img src='/assets/b.png' /><h3>Lab</h3><video src='/assets/a.mp4' autoPlay /></>",
    ),
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
        "<form action='/lab'><input type='file' name='b' aria-label='B' /></form></>",
      'import { MutationForm } from "@colonnade/kit/data";',
    ),
    problems: [["COL155", 'PAGE posts the file input "photo" in a form without encType="multipart/form-data"', "4:12"]],
  },
  fieldsInUrl: {
    source: renders(
      "<><h1>Lab</h1><form method='get' action='/lab'><input name='q' aria-label='Search' /></form>\n" +
        "<form method='POST'><input name='a' aria-label='A' /></form><form method='dialog'><input name='b' aria-label='B' /></form>\n" +
        "<form><input aria-label='Without a name' /></form><form action='#'><select name='c' aria-label='C' /></form></>",
    ),
    problems: [
      [
        "COL158",
        'PAGE has a form without action, which puts the field "c" into the URL where JavaScript does not run',
        "4:12",
      ],
    ],
  },
  passwordInUrl: {
    source: renders(
      "<><h1>Lab</h1><form><input name='email' aria-label='E-mail' />\n" +
        "<input name='secret' type='password' aria-label='Password' /></form></>",
    ),
    problems: [
      [
        "COL158",
        'PAGE has a form without action, which puts the password "secret" into the URL where JavaScript does not run',
        "4:12",
      ],
    ],
  },
  invisible: {
    source: renders(
      "<><h1>Lab</h1><p {...shown({ opacity: 0.5 })}>Half</p><p {...shown({ opacity: 0 })} /><p aria-hidden='true'><b {...shown({ opacity: 0 })}>Not read</b></p>\n" +
        "<ul {...shown({ opacity: 0, transform: 'none' })}><li>Later</li></ul></>",
      "const shown = (style: object): object => ({ style });",
    ),
    problems: [
      ["COL120", 'PAGE contains the prop "style" of a <p> element', "4:32"],
      ["COL120", 'PAGE contains the prop "style" of a <p> element', "4:72"],
      ["COL120", 'PAGE contains the prop "style" of a <b> element', "4:126"],
      ["COL120", 'PAGE contains the prop "style" of a <ul> element', "5:1"],
      ["COL159", "PAGE contains a <ul> that is invisible in the HTML: its style has opacity: 0", "4:12"],
    ],
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
};

const CONFIG = {
  "section.config.js":
    'export default { name: "hello", entry: "./src/section.ts", facts: { phone: "string" }, config: { endpoint: "string" } };\n',
};

let printed: readonly unknown[][];
let checked: CheckedCases;
beforeAll(async () => {
  const print = vi.spyOn(console, "log").mockReturnValue();
  checked = await CheckedCases.check(CASES, { ...APPS, ...CONFIG });
  printed = print.mock.calls;
  print.mockRestore();
});

test("the accessibility rules print nothing", () => {
  expect(printed).toEqual([]);
});

describe("what a page has is reported with its line", () => {
  test.each(Object.keys(CASES))("%s", (name) => {
    expect(checked.found(name)).toEqual(checked.expected(name));
  });
});

test("a setting that is not listed is reported with the line to add", () => {
  const found = checked.problems.filter(({ code }) => code === "COL132").map(({ help }) => help);
  expect(found.toSorted()).toEqual([
    'Add it to section.config.js, with its type: config: { limit: "string" }.',
    'Add it to section.config.js, with its type: facts: { hours: "string" }.',
  ]);
});

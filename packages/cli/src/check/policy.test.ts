// Runs `colonnade check` on pages and stylesheets that the content security policy blocks, or that reach beyond the section.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { beforeAll, describe, expect, test } from "vitest";

import { CheckedCases, problemsIn, renders, type Cases } from "../../fixtures/cases.js";
import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import type { ProblemCode } from "./codes.js";
import type { Problem } from "./problem.js";

const CASES: Cases = {
  style: {
    source: renders("<h1 style={{ color: 'red' }}>Lab</h1>"),
    problems: [["COL120", 'the section contains the prop "style" of a <h1> element', "4:18"]],
  },
  linkStyle: {
    source: renders(
      "<h1>Lab <Link to='/lab/style' style={{ color: 'red' }}>style</Link></h1>",
      'import { Link } from "@colonnade/kit";',
    ),
    problems: [["COL120", 'the section contains the prop "style" of a <Link> element', "4:26"]],
  },
  sharedStyle: {
    source: renders(
      "<><h1>Lab</h1><Link to='/lab/style' {...props}>style</Link>\n<Link to='/lab/html' {...props}>html</Link></>",
      "import { Link } from '@colonnade/kit'; const props = { style: { color: 'red' } };",
    ),
    problems: [
      ["COL120", 'PAGE contains the prop "style" of a <a> element', "4:32"],
      ["COL120", 'PAGE contains the prop "style" of a <a> element', "5:1"],
    ],
  },
  searchStyle: {
    source: renders(
      "<h1>Lab <search.Link to='/lab/style' search={{}} {...props}>style</search.Link></h1>",
      "import { defineSearch } from '@colonnade/kit/search'; const search = defineSearch({}), props = { style: { color: 'red' } };",
    ),
    problems: [["COL120", 'PAGE contains the prop "style" of a <a> element', "4:26"]],
  },
  clonedStyle: {
    source: renders(
      "<>\n{cloneElement(<h1>Lab</h1>, { style: { color: 'red' } })}</>",
      "import { cloneElement } from 'react';",
    ),
    problems: [["COL120", 'PAGE contains the prop "style" of a <h1> element', "5:2"]],
  },
  createdStyle: {
    source: renders(
      "createElement(Kit.Link, { to: '/lab/style', style: { color: 'red' } }, 'style')",
      "import { createElement } from 'react'; import * as Kit from '@colonnade/kit';",
    ),
    problems: [["COL120", 'the section contains the prop "style" of a <Kit.Link> element', "4:18"]],
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
        "<img alt='' src='/assets/hello/1.0.0/a.png' /><img alt='' src={LOGO} />\n<img alt='' srcSet={`/a.png 1x, ${LOGO} 2x`} />\n" +
        "<img alt='' src='./a.png' /><img alt='' src={AT} /></>",
      "const AT = ['../b', 'png'].join('.'); const LOGO = '/logo.png';",
    ),
    problems: (
      [
        ["use", "href", "/icons.svg#map", "4:37"],
        ["img", "src", "/logo.png", "5:47"],
        ["img", "srcSet", "/a.png", "6:1"],
        ["img", "src", "./a.png", "7:1"],
        ["img", "src", "../b.png", "7:29", "PAGE"],
      ] as const
    ).map(([tag, prop, url, at, where = "the section"]) => [
      "COL125",
      `${where} contains the path "${url}" as the prop "${prop}" of a <${tag}> element, where no release has a file`,
      at,
    ]),
  },
  created: {
    source: renders(
      "<><h1 onClick={() => show(URL.createObjectURL(FILE))}>Lab</h1><img alt='' src={url} />\n" +
        "<video src={url} onClick={() => show(canvas.toDataURL())} /></>",
      "let url = '/api/a.png'; const FILE = null; const canvas: any = null; const show = (next: string) => { url = next; };",
    ),
    problems: [
      ["COL125", "the section contains a call of createObjectURL(): no image can have its blob: URL", "4:48"],
      ["COL125", "the section contains a call of createObjectURL(): no audio or video can have its blob: URL", "4:48"],
      ["COL125", "the section contains a call of toDataURL(): no image can have its data: URL", "5:45"],
    ],
  },
  content: {
    source: pageSource(
      "data: () => parseHtml('<img alt=a src=https://a.example/x.png><img alt=b src=/uploads/b.png>'),\nComponent: ({ data }) => <><h1>Lab</h1><Html source={data} /></>",
      'import { Html, parseHtml } from "@colonnade/kit/html";',
    ),
    problems: [
      ["COL125", 'PAGE contains the URL "https://a.example/x.png" as the prop "src" of a <img> element', "5:12"],
      [
        "COL125",
        'PAGE contains the path "/uploads/b.png" as the prop "src" of a <img> element, where no release has a file',
        "5:12",
      ],
    ],
  },
  article: {
    source: pageSource(
      "queries: () => ({ article: '/api/articles/7' }),\n" +
        "examples: () => [{ path: '/lab/article', results: { article: { ok: true, value: '<img alt=a src=https://a.example/x.png>' } } }],\n" +
        "data: ({ results: { article } }) => parseHtml(article.ok ? String(article.value) : ''),\n" +
        "Component: ({ data }) => <><h1>Lab</h1><Html source={data} /></>",
      'import { Html, parseHtml } from "@colonnade/kit/html";',
    ),
    problems: [
      [
        "COL125",
        'PAGE with example 1 contains the URL "https://a.example/x.png" as the prop "src" of a <img> element',
        "7:12",
      ],
    ],
  },
  features: {
    source: renders(
      "<><h1 onClick={() => navigator.geolocation.getCurrentPosition(console.log)}>Lab</h1>\n" +
        "<p onClick={({ currentTarget }) => void currentTarget.requestFullscreen()} />\n" +
        "<p onClick={() => void navigator.mediaDevices.getUserMedia({ video: true, audio: false })} />\n" +
        "<p onClick={() => void navigator.mediaDevices.getUserMedia(OPTIONS)} />\n" +
        "<p onClick={() => void navigator.credentials.get({ publicKey: { challenge: new Uint8Array() } })} />\n" +
        "<p onClick={() => void navigator.credentials.get({ signal: undefined })} />\n" +
        "<p onClick={() => new PaymentRequest([], { total: { label: 'a', amount: { currency: 'EUR', value: '1' } } })} /></>",
      "const OPTIONS = JSON.parse('{}') as MediaStreamConstraints;",
    ),
    problems: [
      ["COL127", "the section uses the feature geolocation (getCurrentPosition())", "4:61"],
      ["COL127", "the section uses the feature fullscreen (requestFullscreen())", "5:55"],
      ["COL127", "the section uses the feature camera (getUserMedia())", "6:47"],
      ["COL127", "the section uses the feature camera (getUserMedia())", "7:47"],
      ["COL127", "the section uses the feature microphone (getUserMedia())", "7:47"],
      ["COL127", "the section uses the feature publickey-credentials-get (get())", "8:46"],
      ["COL127", "the section uses the feature payment (PaymentRequest())", "10:23"],
    ],
  },
  featureNames: {
    source: renders(
      "<h1 onClick={listen}>Lab</h1>",
      "function listen() { const { credentials, hid } = navigator as any, usb = navigator.usb;\n" +
        "void credentials.get({ publicKey: {} });\n" +
        "void hid.requestDevice();\n" +
        "void usb.requestDevice();\n" +
        "void navigator.xr.isSessionSupported('inline');\n" +
        "globalThis.start(new RelativeOrientationSensor(), new AbsoluteOrientationSensor()); }",
    ),
    problems: [
      ["COL127", "the section uses the feature publickey-credentials-get (get())", "2:18"],
      ["COL127", "the section uses the feature hid (requestDevice())", "3:10"],
      ["COL127", "the section uses the feature usb (requestDevice())", "4:10"],
      ["COL127", "the section uses the feature xr-spatial-tracking (isSessionSupported())", "5:19"],
      ["COL127", "the section uses the feature accelerometer (RelativeOrientationSensor())", "6:22"],
      ["COL127", "the section uses the feature gyroscope (RelativeOrientationSensor())", "6:22"],
      ["COL127", "the section uses the feature accelerometer (AbsoluteOrientationSensor())", "6:55"],
      ["COL127", "the section uses the feature gyroscope (AbsoluteOrientationSensor())", "6:55"],
      ["COL127", "the section uses the feature magnetometer (AbsoluteOrientationSensor())", "6:55"],
    ],
  },
  uncertainFeatures: {
    source: renders(
      "<><h1 onClick={() => { if (document.fullscreenEnabled) void document.body.requestFullscreen(); }}>Lab</h1>\n" +
        "<p onClick={() => { if (!('wakeLock' in navigator)) return; void navigator.wakeLock.request(); }} />\n" +
        "<p onClick={async () => { if (await navigator.requestMIDIAccess()) console.log(); }} />\n" +
        "<p onClick={() => { const o: any = {}; o.publicKey = {}; void navigator.credentials.get(o); }} />\n" +
        "<p onClick={() => void navigator.wakeLock?.request()} /><p onClick={() => void document.body.requestFullscreen?.()} />\n" +
        "<p onClick={() => geolocation.watchPosition(console.log)} /><p onClick={() => new Player().start('video')} />\n" +
        "<p ref={(video) => void video?.requestPictureInPicture()} /></>",
      "import { Fake, geolocation } from '../fakes'; class Player { requestFullscreen() { new Fake.PaymentRequest(); } " +
        "start(key: any) { switch (key) { case 'full': this.requestFullscreen(); break; " +
        "case 'video': void navigator.mediaDevices.getUserMedia({ audio: key, video: undefined }); } } }",
    ),
    problems: [
      ["COL127", "the section uses the feature fullscreen (requestFullscreen())", "1:209"],
      ["COL127", "the section uses the feature microphone (getUserMedia())", "1:279"],
      ["COL127", "the section uses the feature fullscreen (requestFullscreen())", "4:92"],
      ["COL127", "the section uses the feature screen-wake-lock (request())", "5:85"],
      ["COL127", "the section uses the feature midi (requestMIDIAccess())", "6:47"],
      ["COL127", "the section uses the feature publickey-credentials-get (get())", "7:85"],
      ["COL127", "the section uses the feature screen-wake-lock (request())", "8:44"],
      ["COL127", "the section uses the feature fullscreen (requestFullscreen())", "8:94"],
      ["COL127", "the section uses the feature geolocation (watchPosition())", "9:31"],
      // The ref can be null, which says nothing of the browser.
      ["COL127", "the section uses the feature picture-in-picture (requestPictureInPicture())", "10:32"],
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
  emotion: {
    source: renders(
      "<Title>Lab</Title>",
      "import styled from '@emotion/styled'; const Title = styled.h1`color: red;`;",
    ),
    problems: [["COL123", "the section imports @emotion/styled", "1:46"]],
  },
  styled: {
    source: renders(
      "<Title>Lab</Title>",
      "import styled from 'styled-components'; const Title = styled.h1`color: red;`;",
    ),
    problems: [["COL123", "the section imports styled-components", "1:46"]],
  },
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
const FAKES =
  "export const Fake: any = { PaymentRequest: class {} }; export const geolocation: any = { watchPosition: () => 1 };";
const CLASS = "has no class of the section's CSS modules outside :not() and :has()";

// The rules know their names.
const LIBRARIES = Object.fromEntries(
  ["@emotion/styled", "styled-components"].flatMap((name) => [
    [`src/node_modules/${name}/package.json`, JSON.stringify({ name, type: "module" })],
    [`src/node_modules/${name}/index.js`, "export default { h1: () => () => null };"],
  ]),
);

let checked: CheckedCases;
beforeAll(async () => {
  const imports = Object.keys({ ...STYLES, ...BLOCKED_STYLES }).map(
    (file) => `import "../styles/${file.slice("src/styles/".length)}";`,
  );
  const styles = { source: pageSource("", imports.join(" ")), problems: [] };
  const files = { ...LIBRARIES, ...STYLES, ...BLOCKED_STYLES, "src/fakes.ts": FAKES };
  checked = await CheckedCases.check({ ...CASES, styles }, files);
});

describe("what the policy blocks is reported with its line", () => {
  test.each(Object.keys(CASES))("%s", (name) => {
    expect(checked.found(name)).toEqual(checked.expected(name));
  });
});

test.each(["emotion", "styled-components"])("%s is named with the alternative", (library) => {
  const expected = `${library} creates style elements, which the browser blocks. Use CSS modules instead.`;
  expect(checked.problems.filter(({ help }) => help?.startsWith(expected))).toHaveLength(1);
});

test("unscoped styles are reported with the line of the source", () => {
  const found = checked.problems
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

test("a function as the action of a form is reported with what to use instead", () => {
  const found = checked.problems.filter(({ code, message }) => code === "COL122" && message.includes("function"));
  expect(found).toHaveLength(2);
  for (const { help } of found) expect(help).toMatch(/^Use MutationForm of .* onSubmit/);
});

test("what the policy can permit is reported with the setting that asks for it", () => {
  const helpOf = (page: string, code: ProblemCode): (string | undefined)[] =>
    checked.problems
      .filter((problem) => problem.code === code && problem.location?.startsWith(`src/pages/${page}.tsx`))
      .map(({ help = "" }) => /If the operator permits it: (.*) of site.toml/.exec(help)?.[1]);
  const lines = (own: string, site: string): string =>
    `policy: { ${own} } in section.config.js, and ${site} in [policy.sections.<name>]`;
  expect(helpOf("urls", "COL125")).toEqual([
    lines('connections: ["a.example"]', 'connections = ["a.example"]'),
    lines('images: ["a.example"]', 'images = ["a.example"]'),
    lines('media: ["a.example"]', 'media = ["a.example"]'),
  ]);
  expect(helpOf("css", "COL123")).toEqual([lines("styleElements: true", "style_elements = true")]);
  expect(helpOf("features", "COL127")[0]).toBe(lines('features: ["geolocation"]', 'features = ["geolocation"]'));
  expect(helpOf("frames", "COL121")).toEqual([lines('trustedTypes: "report"', 'trusted_types = "report"')]);
  expect([...helpOf("targets", "COL125"), ...helpOf("handler", "COL121"), ...helpOf("script", "COL122")]).toEqual(
    Array.from({ length: 4 }),
  );
});

test("a call after a condition, of an own name or with unknown options may need the feature", () => {
  const found = checked.problems.filter(({ code, severity }) => code === "COL127" && severity === "warning");
  expect(found.map(({ message }) => message)).toEqual([
    "the section uses the feature camera (getUserMedia())",
    "the section uses the feature microphone (getUserMedia())",
    "the section uses the feature fullscreen (requestFullscreen())",
    "the section uses the feature microphone (getUserMedia())",
    "the section uses the feature fullscreen (requestFullscreen())",
    "the section uses the feature screen-wake-lock (request())",
    "the section uses the feature publickey-credentials-get (get())",
    "the section uses the feature screen-wake-lock (request())",
    "the section uses the feature fullscreen (requestFullscreen())",
    "the section uses the feature geolocation (watchPosition())",
  ]);
});

test("what the policy of the section permits is no problem", async () => {
  const image = renders(
    "<><h1 style={{ color: COLOR }}>Lab</h1><img alt='' src={IMAGE} /></>",
    ["const COLOR = 'red'; const IMAGE = 'https://cdn.a.example/x.png';", "import '../styles.css';"].join(" "),
  );
  const html = renders(
    "<><h1>Lab</h1><style>{'a {}'}</style><p dangerouslySetInnerHTML={{ __html: '<b>a</b>' }} /></>",
  );
  const blocked = renders(
    "<h1 onClick={() => { eval('1'); document.body.requestFullscreen(); }}>Lab<iframe title='x' src='https://b.example/x' /><img alt='' src='http://cdn.a.example/x.png' /></h1>",
  );
  const folder = await labSection(
    { image, html, blocked },
    {},
    {
      "section.config.js": `export default { name: "hello", entry: "./src/section.ts", policy: {
      images: ["*.a.example"], frames: ["a.example"], styleAttributes: true, styleElements: true, trustedTypes: "report",
      features: ["fullscreen"],
    } };`,
      "src/styles.css": ".hello_a { background: url(https://img.a.example/x.png) }",
    },
  );
  const found = await problemsIn(folder);
  expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "COL121 the section uses eval()",
    'COL125 the section contains the prop "src" of a <iframe> element',
    'COL125 the section contains the URL "http://cdn.a.example/x.png" as the prop "src" of a <img> element',
  ]);
  expect(found.at(-1)?.help).toBe("Use https: or wss:, for which the policy can permit the host.");
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
      "src/node_modules/worker/package.json":
        '{ "name": "worker", "type": "module", "sideEffects": false, "exports": { "browser": "./index.js", "default": "./server.js" } }',
      "src/node_modules/worker/server.js": "export const work = () => document.write('<b>');",
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
        "  element.requestFullscreen();",
        "  element.requestPictureInPicture();",
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
    ...["fullscreen (requestFullscreen())", "picture-in-picture (requestPictureInPicture())"].map((use, index) => [
      "COL127",
      "warning",
      `the section uses the feature ${use} in the package styler (src/node_modules/styler/show.js:${String(5 + index)}:1), loaded by every page`,
      "src/section.ts:1:1",
    ]),
  ]);
  expect(found[1]?.help).toMatch(/z\.config\(\{ jitless: true \}\)/);
});

test("a package that renders into the body is a warning if plain stylesheets do not apply there", async () => {
  const popover = 'import { Popover } from "popover"; import { Panel } from "panel"; import { scroll } from "scroll";';
  const sectionWith = async (imports: string, jsx = "<Popover />"): Promise<Problem[]> => {
    const page = renders(`<h1 onClick={scroll}>Lab {${jsx}}<Panel /></h1>`, `${popover} ${imports}`);
    const sources = {
      popover: `import ReactDOM from "react-dom"; import { useState } from "react";
        export const Popover = ({ container }) => { const [isOpen] = useState(false);
          return isOpen ? ReactDOM.createPortal("Open", container || globalThis?.document?.body) : null; };`,
      panel:
        'import { createPortal } from "react-dom"; export const Panel = ({ at }) => (at ? createPortal("Open", at) : null);',
      scroll: "export const scroll = () => document.body.scrollTo(0, 0);",
    };
    const files = Object.entries(sources).flatMap(([name, source]) => [
      [`src/node_modules/${name}/package.json`, JSON.stringify({ name, type: "module" })],
      [`src/node_modules/${name}/index.js`, source],
    ]);
    const styles = { "src/plain.css": ".a { color: red }", "src/own.module.css": ".a { color: red }" };
    return problemsIn(await labSection({ page }, {}, { ...styles, ...(Object.fromEntries(files) as object) }));
  };
  expect(await sectionWith('import "../plain.css";')).toMatchObject([
    {
      code: "COL156",
      severity: "warning",
      message:
        "the section renders a portal into document.body in the package popover (src/node_modules/popover/index.js:3:1)",
      location: "src/pages/page.tsx:1:46",
      help: expect.stringMatching(/^Give the package the element of usePortalContainer\(\)/) as string,
    },
  ]);
  expect(await sectionWith('import "../own.module.css";')).toEqual([]);
  const given = 'import { usePortalContainer } from "@colonnade/kit"; import "../plain.css";';
  expect(await sectionWith(given, "<Popover container={usePortalContainer()} />")).toEqual([]);
});

test("an import of another origin has advice of its own", () => {
  const found = checked.problems.filter(({ message }) => message.startsWith("@import"));
  expect(found.map(({ help }) => help)).toEqual([
    expect.stringMatching(/^Add the stylesheet/),
    expect.stringMatching(/^Add the stylesheet/),
  ]);
});

test("a blocked image in Markdown has its position there", async () => {
  const page = renders("<Story />", 'import Story from "../story.md";');
  const story = "# Lab\n\n![Alone](./alone.png)\n\nA tea ![after](./after.png).\n";
  const found = await problemsIn(await labSection({ page }, {}, { "src/story.md": story }));
  expect(found.map(({ code, location }) => [code, location])).toEqual([
    ["COL125", "src/story.md:3:1"],
    ["COL125", "src/story.md:5:7"],
  ]);
});

test("a URL that another module of the section creates is a warning", async () => {
  const page = renders(
    "<><h1 onClick={() => show(preview(FILE))}>Lab</h1><img alt='' src={url} /><video src={tea} /></>",
    "import { preview } from '../preview'; import tea from '../tea.svg'; const FILE = null; let url = '/api/a.png'; const show = (next: string) => { url = next; };",
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
  const found = checked.problems.filter(({ message }) => message.includes("createObjectURL"));
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
  const found = checked.problems
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

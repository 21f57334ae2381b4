import { Linter } from "eslint";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";

import config from "./index.js";

const linter = new Linter();

/** The codes that the configuration reports in a module. */
function codesIn(source: string): string[] {
  return linter
    .verify(source, config, { filename: "src/page.jsx" })
    .map(({ message }) => /COL\d+/.exec(message)?.[0] ?? message);
}

describe("code that runs on the server is reported", () => {
  test.each([
    ["COL101", "const now = Date.now();"],
    ["COL101", "definePage({ data: () => ({ year: new Date().getUTCFullYear() }) });"],
    ["COL101", "defineExtension({ data: ({ props }) => ({ ...props, at: Date.now() }) });"],
    ["COL102", "function Card() { return <p>{Math.random()}</p>; }"],
    ["COL102", "definePage({ Component: () => <p id={crypto.randomUUID()} /> });"],
    ["COL102", "definePage({ browserOnly: true, fallback: () => <p id={crypto.randomUUID()} /> });"],
    ["COL103", "const Price = ({ value }) => <p>{value.toLocaleString()}</p>;"],
    ["COL103", "definePage({ head: () => ({ title: new Intl.NumberFormat().format(1) }) });"],
    ["COL104", "definePage({ data: async () => (await fetch('/x')).json() });"],
    ["COL105", "const width = window.innerWidth;"],
    ["COL105", "function Card() { document.title = 'Card'; }"],
    ["COL105", "function Card() { return typeof window === 'undefined' ? null : <p />; }"],
    ["COL105", "definePage({ data: () => (typeof document === 'undefined' ? 1 : 2) });"],
    ["COL105", "function Card() { const [wide] = useState(() => typeof globalThis.window !== 'undefined'); }"],
    ["COL100", "defineSection({ pages: { '/api/x': () => import('./x') } });"],
    ["COL100", "defineSection({ pages: { '/a/:b': () => import('./x'), '/a/:c': () => import('./y') } });"],
    ["COL100", "defineSection({ pages: { '/a': () => import('./x'), '/a': () => import('./y') } });"],
    ["COL100", "defineSection({ pages: { ...pages } });"],
    ["COL100", "defineSection({ pages: {}, extensions: { 'directory/aside@1': aside } });"],
    ["COL100", "defineSection({ pages: {}, extensions: { 'directory/city-aside': () => import('./aside') } });"],
    ["COL130", "const url = import.meta.env.VITE_API;"],
    ["COL130", "const { MODE } = import.meta.env;"],
    ["COL153", "const list = items.map((item) => <li>{item}</li>);"],
    [
      "COL153",
      "const list = items?.filter(Boolean).map((item) => { if (item) return <b key={item} />; return <></>; });",
    ],
    ["COL153", "const list = Array.from(items, (item) => item && <li {...item} />);"],
    ["COL153", "const list = [<li key='a' />, <li />];"],
    ["COL154", "const hint = <p>{open && 'Shown'} rest</p>;"],
    ["COL154", "const button = <button>{open ? 'Hide' : 'Show'} password</button>;"],
    ["COL154", "const name = <>{label ?? `No ${kind}`}<b>!</b></>;"],
    ["COL154", "const count = <Link to='/'>{icon} {isLoading ? null : error && (isOld ? 'Old' : <b />)}</Link>;"],
    ["COL156", "const show = () => createPortal(<p />, document.body);"],
    ["COL156", "const show = () => ReactDOM.createPortal(<p />, window.document.body);"],
    ["COL120", "import { search } from '../search'; const link = <search.Link to='/' search={{}} style={style} />;"],
    ["COL120", "import { Link as More } from '../search'; const link = <More to='/' search={{}} style={style} />;"],
    ["COL120", "const { Link } = search; const link = createElement(Link, { to: '/', search: {}, style });"],
    ["COL120", "const card = <p style={{ color: 'red' }} />;"],
    [
      "COL120",
      "import { Link as To } from '@colonnade/kit'; const link = <To to='/' style={{ color: 'red' }}>Home</To>;",
    ],
    ["COL120", "import * as Kit from '@colonnade/kit'; const link = <Kit.Link to='/' style={style}>Home</Kit.Link>;"],
    ["COL120", "const { path } = defineSearch({}); const icon = <path style={style} />;"],
    ["COL121", "const card = <p dangerouslySetInnerHTML={{ __html: '' }} />;"],
    ["COL121", "const show = (element) => { element.innerHTML = ''; };"],
    ["COL121", "const html = { dangerouslySetInnerHTML: { __html: '' } };"],
    ["COL121", "const card = <p {...{ dangerouslySetInnerHTML: html }} />;"],
    ["COL121", "const frame = { srcDoc: '<b>x</b>' }; const view = <iframe title='x' {...frame} />;"],
    ["COL121", "const add = () => new Function('a', 'return a + 1');"],
    ["COL121", "const add = () => window.Function('a', 'return a + 1');"],
    ["COL121", "const add = () => eval('1 + 1');"],
    ["COL121", "const later = () => setTimeout('show()', 100);"],
    ["COL121", "const later = () => window.setInterval(`show(${id})`, 100);"],
    ["COL121", "const show = (element) => { element['innerHTML'] = ''; };"],
    ["COL121", "const parse = (html) => new DOMParser().parseFromString(html, 'text/html');"],
    ["COL121", "const show = (html) => document.write(html);"],
    ["COL121", "const show = (range, html) => range.createContextualFragment(html);"],
    ["COL121", "const listen = (element) => element.setAttribute('onclick', 'show()');"],
    ["COL121", "const props = { ['dangerouslySetInnerHTML']: { __html: '' } };"],
    ["COL121", "props.dangerouslySetInnerHTML = { __html: '' };"],
    ["COL122", "const card = <script src='/x.js' />;"],
    ["COL115", "const title = <title>Lab</title>;"],
    ["COL115", "const icon = <svg />; const robots = <meta name='robots' content='noindex' />;"],
    ["COL115", "const canonical = createElement('link', { rel: 'canonical', href: '/lab' });"],
    ["COL122", "const form = <form action={async (data) => send(data)} />;"],
    ["COL122", "const { id } = item; const form = <form action={() => send(id)} />;"],
    ["COL122", "const send = <button formAction={save}>Send</button>; function save() {}"],
    ["COL122", "function Form() { const [, send] = useActionState(save, null); return <form action={send} />; }"],
    ["COL123", "const card = <style>{'p {}'}</style>;"],
    ["COL121", "const frame = <iframe title='x' srcDoc={text} />;"],
    ["COL125", "const frame = <iframe title='x' src={url} />;"],
    ["COL125", "const image = <img alt='' src='https://a.example/b.png' />;"],
    ["COL125", "const image = <img alt='' src={`https://a.example/${id}.png`} />;"],
    ["COL125", "const image = <img alt='' src='data:image/png;base64,AA==' />;"],
    ["COL125", "const image = <img alt='' srcSet='/a.png 1x, //a.example/b.png 2x' />;"],
    ["COL125", "const video = createElement('video', { poster: 'https://a.example/b.png' });"],
    ["COL125", "const link = <a href='javascript:show()'>Show</a>;"],
    ["COL125", "const load = () => fetch('https://a.example/b');"],
    ["COL125", "const load = () => fetch('http://a.example/b');"],
    ["COL125", "const connect = () => new WebSocket(`wss://a.example/${id}`);"],
    ["COL125", "const start = () => init({ dsn: 'https://key@o1.ingest.sentry.io/1' });"],
    ["COL125", "const API = 'https://a.example'; const load = () => fetch(`${API}/items`);"],
    ["COL125", "const CDN = 'https://a.example'; const image = <img alt='' src={CDN} />; export { CDN };"],
    ["COL125", "const HOST = 'a.example'; const load = (id) => fetch(`https://${HOST}/${id}`);"],
    ["COL125", "const form = <form action='https://a.example/subscribe' />;"],
    ["COL125", "const send = <button formAction='//a.example/subscribe'>Send</button>;"],
    ["COL125", "const fonts = <link rel='stylesheet' href='https://a.example/fonts.css' />;"],
    ["COL125", "const start = () => new Worker('/worker.js');"],
    ["COL127", "const find = () => navigator.geolocation.getCurrentPosition(show);"],
    ["COL130", "const url = process.env.API_URL;"],
    ["COL130", "const { API_URL } = process.env;"],
    ["COL123", "import styled from '@emotion/styled';"],
    ["COL123", "const card = createElement('style');"],
    ["COL131", "import { createShell } from '@colonnade/shell';"],
    ["COL131", "export { renderToString } from 'react-dom/server';"],
  ])("%s %s", (code, source) => {
    expect(codesIn(source)).toEqual([code]);
  });
});

describe("code that may run only in the browser is not reported", () => {
  test.each([
    "function Map() { return <p>{window.innerWidth}</p>; } definePage({ browserOnly: true, Component: Map });",
    "function Card() { useEffect(() => { document.title = String(Date.now()); }); }",
    "const Card = () => <button onClick={() => window.scrollTo(0, Math.random())} />;",
    "function Card() { const submit = () => fetch('/x'); return <form onSubmit={submit} />; }",
    "function measure() { return window.innerWidth; }",
    "const isWide = typeof window !== 'undefined' && window.innerWidth > 800;",
    "function Card() { useEffect(() => { if (typeof window !== 'undefined') show(); }); }",
    "const isBrowser = typeof window !== 'undefined';",
    "defineSection({ pages: { '/a/:b': () => import('./x'), '/a/b': () => import('./y') }, extensions: { 'a/b@1': () => import('./j'), 'a/c@1': () => import('./h') } });",
    "import { Link, Box } from 'ui'; const links = <><Link to='/a' style={s} /><Box search={{}} style={s} /></>;",
    "const list = items.map((item) => <li key={item}>{item}</li>);",
    "const texts = items.map((item) => item.name); const view = <ul><li /><li /></ul>;",
    "const list = Children.map(children, (child) => <li>{child}</li>);",
    "const file = new URL('./a.js', import.meta.url);",
    "const day = new Date('2026-01-31Z');",
    "const mode = process.env.NODE_ENV;",
    "const card = <Chart style='dark' />;",
    "import { fetch } from './cities'; definePage({ data: () => fetch() });",
    "const later = () => setTimeout(() => show('now'), 100);",
    "const { dangerouslySetInnerHTML, ...rest } = props;",
    "const page = { title: 'Guide', srcDoc: 'documentation/source.md' };",
    "const show = (element, key) => { element[key] = ''; };",
    "import { Function } from './shapes'; const f = () => new Function('x');",
    "const link = <a href='https://a.example/'>A</a>;",
    "const image = <img alt='' src='/b.png' srcSet={images} />;",
    "const load = () => fetch(`/api/${id}`);",
    "const API = 'https://a.example'; const load = (API) => fetch(`${API}/items`);",
    "let api = 'https://a.example'; api = '/api'; const load = () => fetch(`${api}/items`);",
    "const API = '/api'; const load = () => fetch(`${API}/items`); const link = <a href='https://a.example' />;",
    "const label = <title>Lab</title>; const icon = <svg>{label}</svg>;",
    "const price = <span itemScope><meta itemProp='price' content='1' /><link rel='preload' /></span>;",
    "const rest = <meta {...props} />;",
    "const show = (container) => container && createPortal(<p />, container);",
    "const image = <img alt='' src={url} onClick={() => show(URL.createObjectURL(file))} />;",
    "const form = <form action='/subscribe' />;",
    "function Form({ action }) { const [url] = useState('/a'); return <><form action={action} /><form action={url} /></>; }",
    "const send = () => {}; const menu = <Menu action={send} />;",
    "function Form() { const [{ id }] = useActionState(save, {}); return <form action={pathOf(id)} />; }",
    "function Later() { return <form action={() => {}} />; } definePage({ browserOnly: true, Component: Later });",
    "const link = <link rel='preconnect' href='https://a.example/' />;",
    "const start = () => new Worker(new URL('./worker.js', import.meta.url));",
    "import { DOMParser } from 'xml'; const parse = (text) => new DOMParser().parseFromString(text);",
    "const write = (stream) => stream.write('text');",
    "const mark = (element) => element.setAttribute('open', '');",
    "const script = () => document.createElement('script');",
    "import { Link } from '@colonnade/kit'; import { createPortal } from 'react-dom';",
    "const alone = <p>\n  {open ? 'Hide' : 'Show'}{' '}{/* the password */}\n</p>;",
    "const wrapped = <p><span>{open ? 'Hide' : 'Show'}</span> password</p>;",
    "const other = <p className={open ? 'a' : 'b'}>{open && <b>Shown</b>}{index > 0 && ', '}{name || null} rest</p>;",
  ])("%s", (source) => {
    expect(codesIn(source)).toEqual([]);
  });
});

test("a message explains the code and links to the guide", () => {
  const [found] = linter.verify("eval('1')", config, { filename: "src/page.js" });
  expect(found?.message).toBe(
    "COL121 HTML or code from a string: Render React elements. For formatted text, import Markdown; for HTML as data, use parseHtml of @colonnade/kit/html. " +
      "node_modules/@colonnade/cli/dist/check/errors.md#col121-html-or-code-from-a-string",
  );
});

test("a message about a component says how to disable the rule", () => {
  const source = "function Clock() { return <p>{Date.now()}</p>; }";
  const [found] = linter.verify(source, config, { filename: "src/clock.jsx" });
  expect(found?.message).toContain("If this runs only after hydration, disable the rule for this line.");
  const next = source.replace("{ return", "{\n// eslint-disable-next-line @colonnade/section\nreturn");
  expect(linter.verify(next, config, { filename: "src/clock.jsx" })).toEqual([]);
});

test("what the policy in the options permits is not reported", () => {
  const source =
    "const view = <img alt='' style={{ top }} src={`https://a.example/${id}`} srcSet='https://b.example/x' />;" +
    "const find = () => navigator.geolocation.getCurrentPosition(show);";
  const rules: Linter.RulesRecord = {
    "@colonnade/section": [
      "error",
      { policy: { images: ["a.example"], styleAttributes: true, features: ["geolocation"] } },
    ],
  };
  const found = linter.verify(source, [...config, { files: ["src/*"], rules }], { filename: "src/page.jsx" });
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('policy: { images: ["b.example"] }')]);
});

test("a message with a setting of the policy names the option", () => {
  const [found] = linter.verify("fetch('https://a.example/b')", config, { filename: "src/page.js" });
  expect(found?.message).toContain('This rule reads it from its option: ["error", { policy }].');
});

test("the configuration of a new section has the policy of section.config.js", async () => {
  const folder = path.resolve(import.meta.dirname, "../../templates/section");
  vi.doMock(path.join(folder, "section.config.js"), () => ({ default: { policy: { images: ["a.example"] } } }));
  const { default: template } = (await import(path.join(folder, "eslint.config.js"))) as { default: Linter.Config[] };
  const source = "const view = <><img alt='' src='https://a.example/x' /><img alt='' src='https://b.example/x' /></>;";
  const found = linter.verify(source, template, { filename: "src/page.tsx" });
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('images: ["b.example"]')]);
  expect(linter.verify(source, template, { filename: "src/page.test.tsx" })).toEqual([]);
});

test("a host in a constant is named in the setting that permits it", () => {
  const source = "const HOST = 'a.example'; const load = (id) => fetch(`https://${HOST}/${id}`);";
  const [found] = linter.verify(source, config, { filename: "src/page.jsx" });
  expect(found?.message).toContain('policy: { connections: ["a.example"] } in section.config.js');
});

import { cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { afterEach, expect, test, vi } from "vitest";

import { findNonJson } from "../server/json.js";
import { Html, parseHtml, type HtmlAllow, type HtmlComponents } from "./index.js";

afterEach(cleanup);

const inPage = (content: ReactElement): ReactElement => (
  <MemoryRouter initialEntries={["/news/7"]}>{content}</MemoryRouter>
);

async function htmlOf(source: string, allow: HtmlAllow = {}, components: HtmlComponents = {}): Promise<string> {
  const content = await parseHtml(source, { allow });
  expect(findNonJson(content)).toBeNull();
  const html = renderToStaticMarkup(inPage(<Html source={content} components={components} />));
  // React's own, for images.
  return html.replaceAll(/<link rel="preload"[^>]*>/g, "");
}

test.each([
  [
    "<h2>Title</h2>\n<p>A <b>bold</b> &amp; <i>new</i> text.</p>",
    "<h2>Title</h2>\n<p>A <b>bold</b> &amp; <i>new</i> text.</p>",
  ],
  ['<a href="/terms?a=1&amp;b=2">Terms</a>', '<a href="/terms?a=1&amp;b=2">Terms</a>'],
  ['<b id="tea">Tea</b>', '<b id="user-content-tea">Tea</b>'],
  [
    '<a href="#tea">a</a><a href="/news/7#tea">b</a><a href="/news/8#tea">c</a><a href="#">d</a>',
    '<a href="#user-content-tea">a</a><a href="#user-content-tea">b</a><a href="/news/8#tea">c</a><a href="#">d</a>',
  ],
  ['<a href="mailto:a@site.example">Mail</a>', '<a href="mailto:a@site.example">Mail</a>'],
  [
    "<table><tr> <th scope=col colspan=2>a<tr><td align=right>b</table>",
    '<table><tbody><tr><th scope="col" colSpan="2">a</th></tr><tr><td align="right">b</td></tr></tbody></table>',
  ],
  [
    '<figure><img src="/a.png" srcset="/b.png 2x" loading=lazy alt="A" width=40><figcaption>B</figcaption></figure>',
    '<figure><img src="/a.png" srcSet="/b.png 2x" loading="lazy" alt="A" width="40"/><figcaption>B</figcaption></figure>',
  ],
  ["<details open><summary>More</summary>Text</details>", '<details open=""><summary>More</summary>Text</details>'],
])("content is kept: %s", async (source, expected) => {
  expect(await htmlOf(source)).toBe(expected);
});

// Code, in every place where browsers run it, and what reaches out of the content.
test.each([
  ["a<script>alert(1)</script>b", "ab"],
  ["<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"],
  ["<ScRiPt src=//evil.example/x.js></sCrIpT>", ""],
  ["<img src=x onerror=alert(1)>", '<img src="x"/>'],
  ["<img src=x oNeRrOr=alert(1)/onload=alert(1)//", ""],
  ['<p onclick="alert(1)" ONMOUSEOVER=alert(1)>a</p>', "<p>a</p>"],
  ['<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
  ['<a href="  JaVa&#10;Script:alert(1)">a</a>', "<a>a</a>"],
  ['<a href="java\tscript:alert(1)">a</a>', "<a>a</a>"],
  ['<a href="&#1;javascript:alert(1)">a</a>', "<a>a</a>"],
  ['<a href="vbscript:a">a</a><a href="data:text/html,a">b</a><a href="file:///a">c</a>', "<a>a</a><a>b</a><a>c</a>"],
  ['<img src="javascript:alert(1)"><img src="data:image/svg+xml,a">', "<img/><img/>"],
  ['<blockquote cite="javascript:alert(1)">a</blockquote>', "<blockquote>a</blockquote>"],
  ['<p style="background:url(javascript:alert(1))">a</p>', "<p>a</p>"],
  ["<style>body { display: none }</style>a", "a"],
  ['<link rel=stylesheet href="//evil.example/a.css"><base href="//evil.example/"><meta http-equiv=refresh>a', "a"],
  ['<iframe srcdoc="<script>alert(1)</script>"></iframe><object data=x><p>a</p></object><embed src=x>b', "b"],
  ["<svg onload=alert(1)><script>alert(1)</script><style>a</style><p>b</svg>", "<p>b</p>"],
  ["<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>", ""],
  ["<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", ""],
  ["<form action=/api/delete><input name=a><button>Send</button></form>", ""],
  ["<template><img src=x onerror=alert(1)></template>a", "a"],
  ["<!--[if IE]><script>alert(1)</script><![endif]--><!-- a -->b<?php c ?><!doctype html>", "b"],
  ["<textarea></p><img src=x onerror=alert(1)></textarea>a", "a"],
  [
    "<a id=root name=location href='#root'>a</a>",
    '<a id="user-content-root" name="user-content-location" href="#user-content-root">a</a>',
  ],
  [
    "<td headers=a id=b>a</td><table><td headers='a c'>b</table>",
    'a<table><tbody><tr><td headers="user-content-a user-content-c">b</td></tr></tbody></table>',
  ],
  ["<a target=_top ping=//evil.example data-dialog=a class=b tabindex=-1>a</a>", '<a tabindex="-1">a</a>'],
  ["<p ref=a key=b is=c children=d dangerouslysetinnerhtml=e>f</p>", "<p>f</p>"],
  ["<p constructor=a __proto__=b hasownproperty=c>d</p><constructor>e</constructor>", "<p>d</p>e"],
])("code is removed: %s", async (source, expected) => {
  expect(await htmlOf(source)).toBe(expected);
});

test.each([
  ["", ""],
  ["<p>a<p>b</div></p>c", "<p>a</p><p>b</p>c"],
  ["<b><i>a</b>b</i><", "<b><i>a</i></b><i>b</i>&lt;"],
  ["<p <b>a", "<p>a</p>"],
  ['<a href="/x', ""],
  ["<li>a<li>b", "<li>a</li><li>b</li>"],
  ["a\0b&#0;&#xD800;&nosuch;", "ab\ufffd\ufffd&amp;nosuch;"],
  ["<center><custom-a>a</custom-a></center>", "<center>a</center>"],
])("malformed HTML is read as browsers do: %j", async (source, expected) => {
  expect(await htmlOf(source)).toBe(expected);
});

test("what is nested too deeply is left out", async () => {
  const nested = (tag: string): string => `${`<${tag}>`.repeat(20_000)}a`;
  expect((await htmlOf(nested("div"))).match(/<div>/g)).toHaveLength(64);
  expect(await htmlOf(nested("template"))).toBe("");
  expect((await htmlOf(nested("b"))).length).toBeLessThan(1000);
});

test("an allow list adds elements, attributes and protocols", async () => {
  const allow = {
    elements: ["price-tag", "video"],
    attributes: { "*": ["class"], "price-tag": ["sku"], video: ["src", "poster", "controls"] },
    protocols: { href: ["tel"] },
  };
  expect(await htmlOf('<a class="b c" href="tel:1">a</a>', allow)).toBe('<a class="b c" href="tel:1">a</a>');
  expect(await htmlOf('<video controls src=/a.mp4 poster="javascript:a" onplay=b></video>', allow)).toBe(
    '<video controls="" src="/a.mp4"></video>',
  );
  expect(await htmlOf("<input name=a>", { elements: ["input"] })).toBe('<input name="user-content-a"/>');
  const Price = ({ sku, children }: { readonly sku: string; readonly children: string }): ReactElement => (
    <b>{`${children} ${sku}`}</b>
  );
  expect(await htmlOf("<price-tag sku=7 id=x>Tea</price-tag>", allow, { "price-tag": Price })).toBe("<b>Tea 7</b>");
});

test.each([
  [
    "<Price-Tag skuId=7>a</Price-Tag>",
    { elements: ["Price-Tag"], attributes: { "price-tag": ["skuId"] } },
    '<price-tag skuid="7">a</price-tag>',
  ],
  [
    "<p CLASS=b data-skuId=7>a</p>",
    { attributes: { P: ["CLASS", "data-skuId"] } },
    '<p class="b" data-skuid="7">a</p>',
  ],
  ["<a href=tel:1>a</a>", { protocols: { HREF: ["TEL"] } }, '<a href="tel:1">a</a>'],
  [
    "<svg viewbox='0 0 1 1'><clippath></clippath></svg>",
    { elements: ["svg", "clipPath"], attributes: { svg: ["viewBox"] } },
    '<svg viewBox="0 0 1 1"><clipPath></clipPath></svg>',
  ],
])("the case of allowed names does not matter: %s", async (source, allow: HtmlAllow, expected) => {
  expect(await htmlOf(source, allow)).toBe(expected);
});

test("attributes of SVG, and those with several values, are React's", async () => {
  const attributes = { path: ["strokeDashArray"], area: ["coords"] };
  const source = "<svg><path stroke-dasharray='1 2'></path></svg><map><area coords=0,0,9,9></map>";
  expect(await htmlOf(source, { elements: ["svg", "path", "map", "area"], attributes })).toBe(
    '<svg><path stroke-dasharray="1 2"></path></svg><map><area coords="0, 0, 9, 9"/></map>',
  );
});

test.each([
  [{ elements: ["price tag"] }, 'allow.elements has "price tag"'],
  [{ attributes: { p: ["data sku"] } }, 'allow.attributes has "data sku"'],
  [{ protocols: { href: [" javascript"] } }, 'allow.protocols has " javascript"'],
  [{ protocols: { href: ["java\tscript"] } }, 'allow.protocols has "java\tscript"'],
  [{ protocols: { href: ["tel:"] } }, 'allow.protocols has "tel:"'],
])("an allow list with no valid name is an error: %j", async (allow, message) => {
  await expect(parseHtml("", { allow })).rejects.toThrow(new RegExp(`^parseHtml: ${message}, expected a name`));
});

test.each([
  [{ elements: ["script"] }, 'allow.elements has "script"'],
  [{ elements: ["STYLE"] }, 'allow.elements has "STYLE"'],
  // The Kelvin sign, whose lower case is k.
  [{ elements: ["lin\u212a"] }, 'allow.elements has "link"'],
  [{ attributes: { "*": ["onclick"] } }, 'allow.attributes has "onClick"'],
  [{ attributes: { iframe: ["srcdoc"] } }, 'allow.attributes has "srcDoc"'],
  [{ attributes: { p: ["style"] } }, 'allow.attributes has "style"'],
  [{ protocols: { href: ["javascript"] } }, 'allow.protocols has "javascript"'],
  [{ protocols: { href: ["JavaScript"] } }, 'allow.protocols has "JavaScript"'],
  [{ protocols: { HREF: ["VBScript"] } }, 'allow.protocols has "VBScript"'],
  [{ protocols: { src: ["Data"] } }, 'allow.protocols has "Data"'],
])("an allow list cannot permit code: %j", async (allow, message) => {
  await expect(parseHtml("", { allow })).rejects.toThrow(`parseHtml: ${message}, which is never allowed`);
});

test("null and undefined are empty HTML", async () => {
  expect([await parseHtml(null), await parseHtml(undefined)]).toEqual([[], []]);
});

test("components and names replace elements", async () => {
  const Image = ({ src }: { readonly src?: string }): ReactElement => <img src={`/resized${String(src)}`} alt="" />;
  expect(await htmlOf("<h1>a</h1><p><img src=/b.png onerror=c></p>", {}, { h1: "h2", img: Image })).toBe(
    '<h2>a</h2><p><img src="/resized/b.png" alt=""/></p>',
  );
});

test("the server's HTML is hydrated as it is", async () => {
  const source = await parseHtml("<p>One <b>two</b> <a href=#x>three</a></p>\n<pre>a\n</pre><ul id=x><li>four</ul>");
  const sent = JSON.parse(JSON.stringify(source)) as typeof source;
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = renderToString(inPage(<Html source={source} />));
  const bold = screen.getByText("two");
  const onRecoverableError = vi.fn();
  render(inPage(<Html source={sent} />), { container, hydrate: true, onRecoverableError });
  expect(onRecoverableError).not.toHaveBeenCalled();
  expect(screen.getByText("two")).toBe(bold);
});

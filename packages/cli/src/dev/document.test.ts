import { expect, test } from "vitest";

import type { Boot, SectionEntry } from "@colonnade/kit/shell";
import { PLACEHOLDER_SITE } from "../check/sandbox/site.js";
import { SiteDocument } from "./document.js";

const entry = (name: string): SectionEntry => ({
  name,
  version: "1.0.0",
  container: `${name}_1`,
  entry: `/assets/${name}/1.0.0/entry.js`,
  integrity: "sha384-1",
  assets: [],
});
const STYLE = { href: "/assets/hello/1.0.0/page.css", name: "page.css", integrity: "sha384-2", type: "style" } as const;
const BOOT: Boot = {
  deployment: "3",
  site: PLACEHOLDER_SITE,
  configs: {},
  page: { section: entry("hello"), pattern: "/hello", assets: [STYLE] },
};
const HTML =
  '<!doctype html><html lang="en"><head><title>Old</title><link rel="expect" href="#main" blocking="render">' +
  '<script src="/assets/shell/2.0.0/runtime.js" defer integrity="sha384-3"></script>' +
  '<link rel="preload" as="script" href="/assets/shell/2.0.0/more.js">' +
  '<link rel="preload" as="script" href="/assets/hello/1.0.0/entry.js">' +
  '<style data-href="shell.css">a > b{}</style><style data-href="page.css">.old{}</style>' +
  '<style data-href="aside.css" data-part="city/aside@1 hello">.old{}</style>' +
  '<meta data-head="" name="robots" content="noindex"></head><body><div id="root"><main id="main">old</main><p id="boot">{}</p></div>' +
  `<script type="application/json" id="boot">${JSON.stringify(BOOT)}</script></body></html>`;

function change(page: Parameters<SiteDocument["change"]>[0]["page"]): string {
  const document = SiteDocument.parse(HTML);
  if (!document) throw new Error("expected a document");
  expect(document.shellAssets).toBe("/assets/shell/2.0.0/");
  expect(document.boot).toEqual(BOOT);
  return document.change({
    boot: { ...BOOT, site: { ...BOOT.site, brand: "</script>" } },
    scripts: ["/assets/shell/2.0.0/development.js"],
    client: { href: "/_development/client/index.js", state: { section: '"' } },
    sections: ["hello"],
    ...(page && { page }),
  });
}

test("a document of another server is not changed", () => {
  expect(SiteDocument.parse("<!doctype html><p>Welcome</p>")).toBeUndefined();
});

test("development scripts replace the shell's scripts", () => {
  const text = change(undefined);
  expect([...text.matchAll(/src="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    "/_development/client/index.js",
    "/assets/shell/2.0.0/development.js",
  ]);
  expect(text).not.toContain("preload");
  expect(text).toContain('<main id="main">old</main>');
});

test("inline styles keep the text that the policy's hashes allow", () => {
  expect(change(undefined)).toContain('<style data-href="shell.css">a > b{}</style>');
});

test("the boot payload cannot end its element", () => {
  expect(change(undefined)).toContain('"brand":"\\u003c/script>"');
});

test("the rendered page replaces title, metadata, styles and content", () => {
  const head = { title: "New & better", robots: "noindex" };
  const view = { kind: "notFound", heading: "" } as const;
  const text = change({
    rendered: { status: 404, head, view, html: '<main id="main">$& new</main>', readsToday: false },
    styles: [{ ...STYLE, href: "/assets/hello/development/page.css", integrity: "" }],
  });
  expect(text).toContain("<title>New &amp; better</title>");
  expect(text).toContain('<div id="root"><main id="main">$& new</main></div>');
  expect(text).toContain('<link rel="stylesheet" href="/assets/hello/development/page.css" data-href="page.css">');
  expect(text).not.toMatch(/data-head|\.old|>old</);
});

test("a page that the browser renders does not wait for its content", () => {
  const text = change({ rendered: null, styles: [] });
  expect(text).toContain('<div id="root"></div>');
  expect(text).not.toContain('rel="expect"');
});

// Runs the compiled renderer: it starts a child process.
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { Renderer } from "../../dist/check/renderer.js";
import { temporaryFolder } from "../../fixtures/temporary.js";
import { placeholderSettings } from "../build/settings.js";
import type { RenderReply } from "./rendererJob.js";
import { PLACEHOLDER_SITE } from "./sandbox/site.js";

// A shell whose HTML is the number of renders in the sandbox.
const SHARED = `var colonnadeShared = {
  SectionCheck: class { load = async () => {}; problems = () => []; page = () => ({ load: async () => [], member() {} });
    extension = () => ({ load: async () => [], member() {} }); },
  inspectHtml() {},
  takeBlocked: () => [],
  async render(section, { path, results, extension }) {
    if (extension) return { extension: extension.props.html && extension.props };
    if (path === "/results") return { status: 200, html: String(results.list.value[0] instanceof Object) };
    if (path === "/endless") for (;;);
    if (path === "/clock") Date.now();
    globalThis.count = (globalThis.count ?? 0) + 1;
    return { status: 200, html: String(globalThis.count) };
  },
};`;
const SECTION = "var colonnadeSection = { load: async () => ({ default: {} }) };";

let renderer: Renderer;
let bundle: string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const shared = path.join(folder, "shared.js");
  bundle = path.join(folder, "section.js");
  await writeFile(shared, SHARED);
  await writeFile(bundle, SECTION);
  renderer = new Renderer({
    shared,
    bundle,
    reports: path.join(folder, "reports.jsonl"),
    name: "hello",
    settings: placeholderSettings(),
  });
});
afterAll(async () => {
  await renderer.close();
});

function render(pagePath: string, build = "first"): Promise<RenderReply> {
  const page = { section: "hello", pattern: pagePath };
  return renderer.render({ build, request: { path: pagePath, page, site: PLACEHOLDER_SITE } });
}

function htmlOf({ rendered }: RenderReply): string | undefined {
  return rendered && "html" in rendered ? rendered.html : undefined;
}

test("each render has a fresh sandbox", async () => {
  const replies = await Promise.all([render("/hello"), render("/hello")]);
  expect(replies.map(htmlOf)).toEqual(["1", "1"]);
});

test("results of queries are objects of the sandbox", async () => {
  const page = { section: "hello", pattern: "/results" };
  const results = { list: { ok: true, value: [{ id: "7" }] } } as const;
  const request = { path: "/results", page, site: PLACEHOLDER_SITE, results };
  expect(htmlOf(await renderer.render({ build: "first", request }))).toBe("true");
});

test("a render uses the script of its build", async () => {
  await writeFile(bundle, `count = 10; ${SECTION}`);
  expect(htmlOf(await render("/hello"))).toBe("1");
  expect(htmlOf(await render("/hello", "second"))).toBe("11");
  await writeFile(bundle, SECTION);
});

test("a render that reads the clock is reported", async () => {
  const { rendered, reports } = await render("/clock");
  expect(rendered).toBeNull();
  expect(reports).toMatchObject([{ kind: "thrown", step: "rendering /clock (page /clock)" }]);
});

test("an endless render is stopped, and the next render works", async () => {
  const [endless, next] = await Promise.all([render("/endless"), render("/hello")]);
  expect(endless.rendered).toBeNull();
  expect(endless.reports).toMatchObject([{ kind: "timeout", limit: 500 }]);
  expect(htmlOf(next)).toBe("1");
});

test.each([
  ["<p>Kites</p>", undefined],
  ["<title>Kites</title>", "the extension hello/aside@1 has `<title>`; expected only elements of its own content"],
  [null, undefined],
])("of an extension with the HTML %s, only problems count", async (html, message) => {
  const extension = { section: "hello", point: "hello/aside@1", props: { html } };
  const { rendered, reports } = await renderer.render({
    build: "first",
    request: { extension, site: PLACEHOLDER_SITE },
  });
  expect(rendered).toBeNull();
  expect(reports).toEqual(message === undefined ? [] : [{ kind: "violation", code: "COL172", message, stack: "" }]);
});

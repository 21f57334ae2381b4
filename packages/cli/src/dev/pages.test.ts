import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ExtensionRequest, RenderRequest, RenderResult, ResolvedPage } from "@colonnade/kit/shell";
import { PLACEHOLDER_SITE } from "../check/sandbox/site.js";
import { DevelopmentPages, type DevelopmentPage } from "./pages.js";
import type { DevelopmentSection, RenderedPage } from "./section.js";
import type { Shells } from "./shells.js";

const HEAD = { title: "", description: "", canonical: "/" };

const LIST = {
  extensionPoints: [
    {
      id: "directory/aside",
      version: 1,
      max: 1,
      examples: [{ city: "Austin" }, { city: "Nome" }, { city: "Nome, Alaska" }],
    },
  ],
  extensions: [],
};

let server: Server;
let responses: number;
let build: string;
let pages: DevelopmentPages;
let page: DevelopmentPage;

/** Renders the results of its query. */
const render = vi.fn<(shell: string, request: RenderRequest | ExtensionRequest) => Promise<RenderedPage>>();

function reply(rendered: RenderResult): Promise<RenderedPage> {
  return Promise.resolve({ rendered, problems: [], exceedsLimit: false });
}

/** An extension that has a problem for Nome. */
function tried({ extension: { props } }: ExtensionRequest): Promise<RenderedPage> {
  const message = JSON.stringify(props);
  const problems = message.includes("Nome") ? [{ kind: "render", section: "hello", message } as const] : [];
  return Promise.resolve({ rendered: null, problems, exceedsLimit: false });
}

beforeEach(async () => {
  responses = 0;
  build = "first";
  server = createServer(({ url }, response) => {
    responses += 1;
    response.end(url?.endsWith("/extensions.json") ? JSON.stringify(LIST) : String(responses));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  render.mockReset().mockImplementation((_, request) => {
    if ("extension" in request) return tried(request);
    const { results } = request;
    if (!results) return reply({ queries: { events: "/api/events" }, readsToday: false });
    const view = { kind: "page", data: results, head: HEAD, layout: { header: "menu", footerNote: "" } } as const;
    return reply({ status: 200, head: HEAD, view, html: "", readsToday: false });
  });
  const section: Partial<DevelopmentSection> = {
    name: "hello",
    config: { name: "hello", entry: "" },
    get serverBuild() {
      return build;
    },
    idle: () => Promise.resolve(),
    navigation: [],
    extensions: () => Promise.resolve({ "directory/aside@1": {} as never, "hello/aside@1": {} as never }),
    patternOf: (pagePath) => (pagePath === "/city" ? undefined : "/hello"),
    render,
  };
  page = { section: section as DevelopmentSection, pattern: "/hello" };
  const shells = { get: () => Promise.resolve({ folder: "", server: "" }) } as unknown as Shells;
  pages = new DevelopmentPages(new Map([["hello", page.section]]), shells, { site, apis: new Map() }, () => undefined);
  pages.siteContext = { site: PLACEHOLDER_SITE, shellAssets: "" };
});

afterEach(() => {
  server.close();
});

test("a document is rendered with current results of its queries", async () => {
  for (const value of [1, 2]) {
    const { rendered } = await pages.render(page, "/hello");
    expect(rendered).toMatchObject({ view: { data: { events: { ok: true, value } } } });
  }
});

test("an edit keeps the results, so that only another view reloads the page", async () => {
  await pages.render(page, "/hello");
  build = "second";
  expect(await pages.compareView("/hello", page.section, "first")).toMatchObject({ changed: false, build: "second" });
  expect(responses).toBe(1);
});

test("an edit of the queries requests them", async () => {
  await pages.render(page, "/hello");
  build = "second";
  render.mockReturnValueOnce(reply({ queries: { events: "/api/events?page=2" }, readsToday: false }));
  expect(await pages.compareView("/hello", page.section, "first")).toMatchObject({ changed: true });
  expect(responses).toBe(2);
});

test("a redirect is a result", async () => {
  render.mockReturnValueOnce(reply({ status: 307, location: "/hello/new", readsToday: false }));
  expect((await pages.render(page, "/hello")).rendered).toMatchObject({ status: 307, location: "/hello/new" });
});

test("an extension is tried with the examples of a released page's points, and after an edit again", async () => {
  const released = { section: { name: "directory", entry: "/assets/directory/1.0.0/entry.js" } } as ResolvedPage;
  await pages.tryReleased("/city", released);
  expect(responses).toBe(1);
  expect(pages.problems().map(({ message }) => message)).toEqual(['{"city":"Nome"}']);
  build = "second";
  expect(pages.problems()).toEqual([]);
  await pages.compareView("/city", page.section, "first");
  await vi.waitFor(() => {
    expect(pages.problems()).toHaveLength(1);
  });
});

test("an extension is tried with the props of a page under development", async () => {
  const view = { kind: "page", data: null, head: HEAD, layout: { header: "menu", footerNote: "" } } as const;
  const points = { "hello/aside@1": { city: "Nome" } };
  render.mockReturnValueOnce(reply({ status: 200, head: HEAD, view, html: "", points, readsToday: false }));
  await pages.render(page, "/hello");
  await vi.waitFor(() => {
    expect(pages.problems().map(({ message }) => message)).toEqual(['{"city":"Nome"}']);
  });
});

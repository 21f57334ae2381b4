import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, test } from "vitest";

import type { Boot, ResolvedExtension, ResolvedPage, SectionEntry } from "@colonnade/kit/shell";
import { PLACEHOLDER_SITE } from "../check/sandbox/site.js";
import { SiteDocument } from "./document.js";
import { DevelopmentPages } from "./pages.js";
import { Proxy } from "./proxy.js";
import type { DevelopmentSection } from "./section.js";
import type { LocalShell, Shells } from "./shells.js";

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Starts a server on a free port. Returns its origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  closes.push(() => {
    server.close().closeAllConnections();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Starts a proxy, by default without sections. */
async function proxyOf(site: string, sections = new Map<string, DevelopmentSection>()): Promise<string> {
  const routes = { site, apis: new Map<string, string>() };
  const shell = { folder: "", server: "server.js", scripts: ["main.js"] } as unknown as LocalShell;
  const shells = { get: () => Promise.resolve(shell) } as unknown as Shells;
  const pages = new DevelopmentPages(sections, shells, routes, () => undefined);
  const proxy = new Proxy({ ...routes, shells, pages, sections: () => [...sections.keys()], client: "/client.js" });
  return serve((request, response) => {
    void proxy.respond(request, response, new URL(request.url ?? "", `http://${request.headers.host ?? ""}`));
  });
}

test.each(["text/event-stream", "text/html"])("a stream of %s is passed on as it arrives", async (type) => {
  let stream: ServerResponse | undefined;
  const site = await serve((request, response) => {
    stream = response.writeHead(200, { "content-type": type, "x-encoding": request.headers["accept-encoding"] ?? "" });
    stream.flushHeaders();
  });
  const response = await fetch(`${await proxyOf(site)}/api/events/stream`, { headers: { "accept-encoding": "br" } });
  // The body has not begun.
  expect([response.status, response.headers.get("x-encoding")]).toEqual([200, "br"]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const part of ["data: 1\n\n", "data: 2\n\n"]) {
    stream?.write(part);
    expect(await reader?.read()).toEqual({ done: false, value: part });
  }
  const closed = stream && once(stream, "close");
  await reader?.cancel();
  await closed;
});

const ENTRY: SectionEntry = { name: "hello", version: "1.0.0", container: "", entry: "", integrity: "", assets: [] };
const DEVELOPED: SectionEntry = { ...ENTRY, version: "development" };
const POINT = "directory/city-aside@1";

const SITE_MENU = [
  { label: "Home", path: "/" },
  { label: "Released", path: "/hello" },
];

/** A section with the pages `/hello` and `/hello/new`, each with its configuration as HTML. It has extensions. */
const HELLO: Partial<DevelopmentSection> = {
  name: "hello",
  config: { name: "hello", entry: "", config: { endpoint: "string", limit: "number" } },
  policies: [{ images: ["cdn.example"] }],
  idle: () => Promise.resolve(),
  patternOf: (path) => (path.startsWith("/hello") ? path : undefined),
  render(_, { config }) {
    const head = { title: "Hello", description: "", canonical: "/hello" };
    const view = { kind: "page", data: null, head, layout: {} } as const;
    const html = `<p>${JSON.stringify(config)}</p>`;
    const rendered = { status: 200, head, view, html, readsToday: false } as const;
    return Promise.resolve({ rendered, problems: [], exceedsLimit: false });
  },
  resolve: (pattern) => Promise.resolve({ section: ENTRY, pattern, assets: [] } as unknown as ResolvedPage),
  extensions: () =>
    Promise.resolve({
      [POINT]: { section: DEVELOPED, assets: [] },
      "shell/menu@1": { section: DEVELOPED, assets: [] },
    }),
  navigation: [{ to: "shell/menu", label: "Hello", path: "/hello" }],
  remoteDetails: () => ({ assets: {} }),
};

function documentOf(boot: Boot, content = ""): string {
  return (
    '<!doctype html><html><head><title></title><script src="/assets/shell/1.0.0/main.js"></script></head><body>' +
    `<div id="root">${content}</div><script id="boot" type="application/json">${JSON.stringify(boot)}</script></body></html>`
  );
}

/** A site whose release of the section has the page `/hello`, and with this configuration of the section. */
function siteWith(limit: () => number): Promise<string> {
  return serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const config = { limit: limit() };
    const page = { section: ENTRY, pattern: "/hello", assets: [], config } as unknown as ResolvedPage;
    const boot: Boot = {
      ...{ deployment: "1", site: { ...PLACEHOLDER_SITE, navigation: { menu: SITE_MENU, footer: [] } } },
      configs: { hello: config },
      page: pathname === "/hello" ? page : null,
    };
    if (pathname === "/_remotes/1") response.end(JSON.stringify({ assets: {}, config }));
    else if (pathname === "/_page/1")
      response.writeHead(searchParams.get("path") === "/hello" ? 200 : 404).end(JSON.stringify(page));
    else {
      const headers = { "content-type": "text/html", "content-security-policy": "default-src 'none'; img-src 'self'" };
      response.writeHead(200, headers).end(documentOf(boot));
    }
  });
}

test("documents have the policy that the sections ask for", async () => {
  const origin = await proxyOf(await siteWith(() => 5), new Map([["hello", HELLO as DevelopmentSection]]));
  for (const path of ["/hello", "/other"]) {
    const { headers } = await fetch(origin + path);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; img-src 'self' https://cdn.example");
  }
});

test("a section gets the configuration that the site has sent, and placeholders of other values", async () => {
  let limit = 5;
  const site = await siteWith(() => limit);
  const origin = await proxyOf(site, new Map([["hello", HELLO as DevelopmentSection]]));
  const json = async (path: string): Promise<unknown> => (await fetch(origin + path)).json();
  const config = { endpoint: "endpoint", limit: 5 };
  // The page, and another one.
  for (const path of ["/hello", "/other"]) {
    const text = await (await fetch(origin + path)).text();
    expect(SiteDocument.parse(text)?.boot).toMatchObject({ configs: { hello: config } });
    expect(text.includes(`<p>${JSON.stringify(config)}</p>`)).toBe(path === "/hello");
    // The HTML of the other page has the links of the site.
    const menu =
      path === "/hello"
        ? [
            { label: "Home", path: "/" },
            { label: "Hello", path: "/hello" },
          ]
        : SITE_MENU;
    expect(SiteDocument.parse(text)?.boot.site.navigation.menu).toEqual(menu);
  }
  // A page that the release does not have.
  expect(await json("/_page/1?path=/hello/new")).toMatchObject({ pattern: "/hello/new", config });
  limit = 7;
  expect(await json("/_page/1?path=/hello")).toMatchObject({ pattern: "/hello", config: { ...config, limit } });
  limit = 9;
  expect(await json("/_remotes/1?section=hello")).toEqual({ assets: {}, config: { ...config, limit } });
});

test("an extension under development replaces the released one, and is left to the browser", async () => {
  const extensionOf = (section: SectionEntry): ResolvedExtension => ({ section, assets: [], data: 7 });
  const events: SectionEntry = { ...ENTRY, name: "events" };
  const extensions = { [POINT]: [extensionOf(ENTRY), extensionOf(events)], "directory/map@1": [extensionOf(ENTRY)] };
  const page: ResolvedPage = { section: { ...ENTRY, name: "directory" }, pattern: "/:city", assets: [], extensions };
  const site = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const isOwn = (searchParams.get("path") ?? pathname) === "/hello";
    const shown = { ...page, ...(isOwn && { section: ENTRY, pattern: "/hello" }) };
    const configs = { hello: { limit: 7 } };
    const boot: Boot = { deployment: "1", site: PLACEHOLDER_SITE, configs, page: shown };
    const html = ["hello", "events"].map((name) => `<div data-extension="${name}">Released ${name}</div>`).join("");
    if (pathname === "/_page/1") response.writeHead(200, { "x-site": "1" }).end(JSON.stringify(shown));
    else response.writeHead(200, { "content-type": "text/html" }).end(documentOf(boot, html));
  });
  const origin = await proxyOf(site, new Map([["hello", HELLO as DevelopmentSection]]));
  const config = { endpoint: "endpoint", limit: 7 };
  const developed = { section: DEVELOPED, assets: [], config };
  const released = { section: events, assets: [] };

  // The page of another section keeps the HTML of others.
  const text = await (await fetch(`${origin}/Austin`)).text();
  const document = SiteDocument.parse(text);
  expect(document?.boot.page?.extensions).toEqual({ [POINT]: [developed, { ...released, data: 7 }] });
  expect(document?.boot.extensions).toEqual({ "shell/menu@1": [developed] });
  expect(text).not.toContain("Released hello");
  expect(text).toContain("Released events");
  // The page of the section itself has other HTML.
  const own = SiteDocument.parse(await (await fetch(`${origin}/hello`)).text());
  expect(own?.boot.page).toMatchObject({ pattern: "/hello", extensions: { [POINT]: [developed, released] } });
  expect(own?.boot.page?.extensions?.[POINT]?.[1]).not.toHaveProperty("data");

  const response = await fetch(`${origin}/_page/1?path=/Austin`);
  expect(response.headers.get("x-site")).toBe("1");
  expect(await response.json()).toMatchObject({ pattern: "/:city", extensions: { [POINT]: [developed, released] } });
  const resolved = (await (await fetch(`${origin}/_page/1?path=/hello`)).json()) as ResolvedPage;
  expect(Object.keys(resolved.extensions ?? {})).toEqual([POINT]);
});

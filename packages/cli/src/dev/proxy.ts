import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import path from "node:path";
import type { Duplex } from "node:stream";

import type { SectionConfiguration } from "@colonnade/kit";
import type {
  Boot,
  RemoteDetails,
  RemoteSection,
  Rendered,
  RenderedRedirect,
  ResolvedExtensions,
  ResolvedPage,
} from "@colonnade/kit/shell";
import { SiteDocument } from "./document.js";
import { withoutData } from "./extensions.js";
import { forward, requestHeaders, responseHeaders, textOf } from "./forward.js";
import type { DevelopmentPage, DevelopmentPages } from "./pages.js";
import { permittedFeatures, widenedPolicy } from "./policy.js";
import { apiUrl, type ApiRoutes } from "./queries.js";
import { sendJson, sendText } from "./respond.js";
import type { Shells } from "./shells.js";
import type { DocumentState } from "./state.js";
import { forwardUpgrade } from "./upgrade.js";

// Headers that describe the body of the site's response.
const CONTENT_HEADERS = ["content-length", "content-encoding", "etag", "last-modified", "accept-ranges"];

const EXCEEDS_LIMIT = "The page exceeds the limit of CPU time.\n";

/** Options of {@link Proxy}. */
interface ProxyOptions extends ApiRoutes {
  readonly site: string;
  readonly shells: Shells;
  readonly pages: DevelopmentPages;
  /** Names of the sections under development. */
  readonly sections: () => readonly string[];
  /** URL path of the script that connects a page to the development server. */
  readonly client: string;
}

/** Forwards requests to the site, and replaces the pages of the sections under development in its responses. */
export class Proxy {
  readonly #options: ProxyOptions;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Responds to a request. `url` is its URL on this server. */
  async respond(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const api = apiUrl(this.#options, url.pathname + url.search);
    const target = this.#target(url);
    const { origin } = new URL(target);
    const headers = requestHeaders(request.headers, url.origin, origin);
    const isPassedOn = isNeverChanged(request.method, url.pathname);
    if (!isPassedOn) {
      headers["accept-encoding"] = "identity";
      // This document can change although the site's document is unchanged.
      delete headers["if-none-match"];
      delete headers["if-modified-since"];
    }
    const aborted = new AbortController();
    response.on("close", () => {
      aborted.abort();
    });
    const received = await forward(target, request.method ?? "GET", headers, request, aborted.signal);
    const isChanged = api === undefined && !isPassedOn && request.method !== "HEAD";
    if (isChanged && received.headers["content-type"]?.startsWith("text/html"))
      await this.#sendDocument(response, received, url);
    else if (isChanged && url.pathname.startsWith("/_page/")) await this.#sendPage(response, received, url);
    else if (isChanged && url.pathname.startsWith("/_remotes/")) await this.#sendRemotes(response, received, url);
    else {
      response.writeHead(received.statusCode ?? 502, responseHeaders(received.headers, url.origin, origin));
      // Before the body: a stream may begin much later.
      response.flushHeaders();
      received.on("error", () => response.destroy());
      received.pipe(response);
    }
  }

  /** Forwards a request that opens a WebSocket. */
  upgrade(request: IncomingMessage, client: Duplex, url: URL): void {
    forwardUpgrade(request, client, this.#target(url), url.origin);
  }

  /** The URL of an API, or of the site. */
  #target({ pathname, search }: URL): string {
    return apiUrl(this.#options, pathname + search) ?? this.#options.site + pathname + search;
  }

  #changedHeaders(received: IncomingMessage, url: URL): OutgoingHttpHeaders {
    const headers = responseHeaders(received.headers, url.origin, this.#options.site);
    for (const name of CONTENT_HEADERS) Reflect.deleteProperty(headers, name);
    return { ...headers, "cache-control": "no-store" };
  }

  /** Sends the response of `/_page/…`: the page of a path that the browser navigates to. */
  async #sendPage(response: ServerResponse, received: IncomingMessage, url: URL): Promise<void> {
    const { pages } = this.#options;
    const body = await textOf(received);
    const status = received.statusCode ?? 502;
    const pagePath = url.searchParams.get("path") ?? "";
    const released = status === 200 ? (JSON.parse(body) as ResolvedPage) : null;
    if (released) pages.rememberConfigs(configsIn(released));
    await pages.idle();
    const page = status === 200 || status === 404 ? pages.find(pagePath, released) : undefined;
    if (page) {
      // The browser renders the page. The server also renders it, to find problems.
      const { rendered, exceedsLimit } = await pages.render(page, pagePath);
      if (exceedsLimit) sendText(response, 500, EXCEEDS_LIMIT);
      else {
        const config = pages.configs()[page.section.name];
        const extensions = await pages.extensions("page", released?.extensions);
        const resolved = withSearch(await page.section.resolve(page.pattern), rendered);
        sendJson(response, { ...resolved, config, extensions });
      }
    } else if (pages.replaces(released)) sendText(response, 404, "not found\n");
    else if (released) {
      tryReleased(pages, pagePath.split("?")[0] ?? "", released);
      const changed = withExtensions(released, await pages.extensions("page", released.extensions));
      response.writeHead(status, this.#changedHeaders(received, url)).end(JSON.stringify(changed));
    } else response.writeHead(status, this.#changedHeaders(received, url)).end(body);
  }

  /** Sends the response of `/_remotes/…`: the sections of the site, or what the modules of one need. */
  async #sendRemotes(response: ServerResponse, received: IncomingMessage, url: URL): Promise<void> {
    const { pages } = this.#options;
    const body = await textOf(received);
    const { statusCode: status = 502 } = received;
    const section = url.searchParams.get("section");
    await pages.idle();
    const released: unknown = status === 200 ? JSON.parse(body) : undefined;
    const details = section === null ? undefined : pages.remoteDetails(section, released as RemoteDetails | undefined);
    if (details) sendJson(response, details);
    else if (released !== undefined && section === null)
      sendJson(response, await pages.remotes(released as Record<string, RemoteSection>));
    else response.writeHead(status, this.#changedHeaders(received, url)).end(body);
  }

  async #sendDocument(response: ServerResponse, received: IncomingMessage, url: URL): Promise<void> {
    const { pages, shells, sections, client } = this.#options;
    const body = await textOf(received);
    const headers = this.#changedHeaders(received, url);
    const { "content-security-policy": policy, "permissions-policy": features } = headers;
    if (typeof policy === "string") Object.assign(headers, widenedPolicy(policy, pages.policies()));
    if (typeof features === "string") headers["permissions-policy"] = permittedFeatures(features, pages.policies());
    const document = SiteDocument.parse(body);
    if (!document) {
      response.writeHead(received.statusCode ?? 502, headers).end(body);
      return;
    }
    const { boot, shellAssets } = document;
    pages.siteContext = { site: boot.site, shellAssets };
    pages.rememberConfigs(boot.configs);
    const shell = await shells.get(shellAssets);
    await pages.idle();
    const page = pages.find(boot.form?.page ?? url.pathname, boot.page);
    const pagePath = boot.form?.page ?? url.pathname + url.search;
    const render = page && (await pages.render(page, pagePath, boot.form));
    const result = render?.rendered ?? null;
    if (result?.status === 307) {
      response.writeHead(307, { location: result.location, "cache-control": "no-store" }).end();
      return;
    }
    const rendered = result;
    const builds = pages.builds();
    // A build can end during the render, so the document names the build that rendered the page.
    if (page && render) builds[page.section.name] = { client: page.section.clientBuild, server: render.build };
    const state: DocumentState = { builds, section: page?.section.name ?? null };
    const isReplaced = page !== undefined || pages.replaces(boot.page);
    if (!isReplaced) tryReleased(pages, url.pathname, boot.page);
    // The browser does not load a page that would block it.
    const blocked = render?.exceedsLimit ? page?.section : undefined;
    const resolved = page && !blocked ? withSearch(await page.section.resolve(page.pattern), result) : null;
    // Only the site's document has the HTML of extensions.
    const kept = isReplaced ? withoutData : (extensions: Boot["extensions"]) => extensions;
    const ofPage = await pages.extensions("page", kept(boot.page?.extensions), blocked);
    const ofShell = await pages.extensions("shell", kept(boot.extensions), blocked);
    const shown = isReplaced ? resolved : boot.page;
    const configs = { ...boot.configs, ...pages.configs() };
    const styles = resolved && rendered?.status === 200 ? [...resolved.section.assets, ...resolved.assets] : [];
    const text = document.change({
      boot: changedBoot(
        {
          ...withExtensions(boot, ofShell),
          // The HTML of the site's own pages has the links of its releases.
          site: isReplaced ? pages.withNavigation(boot.site) : boot.site,
          configs,
          page: shown && withExtensions(shown, ofPage),
        },
        isReplaced ? rendered : undefined,
      ),
      scripts: shell.scripts.map((file) => shellAssets + path.basename(file)),
      client: { href: client, state },
      sections: sections(),
      ...(isReplaced && { page: { rendered, styles } }),
    });
    const status = isReplaced && !boot.form ? statusOf(page, rendered) : received.statusCode;
    response.writeHead(blocked ? 500 : (status ?? 502), headers).end(text);
  }
}

/**
 * Whether the response of the site is passed on as it arrives. A post below `/api/` can be a form without JavaScript, whose
 * response is a page.
 */
function isNeverChanged(method: string | undefined, pathname: string): boolean {
  return pathname.startsWith("/assets/") || (pathname.startsWith("/api/") && /^(GET|HEAD)$/.test(method ?? ""));
}

/** Finds problems of extensions, which arrive later. The site may be unreachable by then. */
function tryReleased(pages: DevelopmentPages, pagePath: string, released: ResolvedPage | null): void {
  pages.tryReleased(pagePath, released).catch(() => undefined);
}

/** A page with the names of its query parameters, which only a render tells. */
function withSearch(page: ResolvedPage, rendered: Rendered | RenderedRedirect | null): ResolvedPage {
  return rendered && "search" in rendered ? { ...page, search: rendered.search } : page;
}

/** The boot payload without what only a release has. `rendered` replaces the page; null leaves it to the browser. */
function changedBoot(boot: Boot, rendered: Rendered | null | undefined): Boot {
  const changed: { -readonly [Key in keyof Boot]: Boot[Key] } = { ...boot };
  // The site would count errors of a development build for its live release.
  delete changed.reports;
  if (rendered === undefined) return changed;
  delete changed.view;
  return { ...changed, ...(rendered && { view: rendered.view }) };
}

/** Replaces extensions. Undefined removes them, because JSON does not have it. */
function withExtensions<Value extends Boot | ResolvedPage>(
  value: Value,
  extensions: ResolvedExtensions | undefined,
): Value {
  return { ...value, extensions };
}

/** The configurations of sections in a response of `/_page`, by name. */
function configsIn(page: ResolvedPage): Record<string, SectionConfiguration | undefined> {
  const all = [page, ...Object.values(page.extensions ?? {}).flat()];
  return Object.fromEntries(all.map(({ section, config }) => [section.name, config]));
}

function statusOf(page: DevelopmentPage | undefined, rendered: Rendered | null): number {
  if (!page) return 404;
  return rendered?.status ?? 200;
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Sets a mark that tests read.
const SCRIPT = "globalThis.ran = true; if (globalThis.document) document.documentElement.setAttribute('data-ran', '');";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>${SCRIPT}</script></head></html>`;
const PAGE = `<!doctype html><title>Upstream</title>
<script>${SCRIPT}</script>
<script src="/api/rogue/script.js"></script>
<img src="/nothing" alt="" onerror="${SCRIPT}">
<a href="javascript:${SCRIPT}">Run</a>
<form method="post" action="/api/rogue/form"><button>Send</button></form>`;
const REFRESH = `<!doctype html><title>Refresh</title><meta http-equiv="refresh" content="0;url=/terms">`;

/** Responses by name: a content type, or none, and a body. */
const RESPONSES: Readonly<Record<string, readonly [type: string | null, body: string]>> = {
  page: ["text/html; charset=utf-8", PAGE],
  refresh: ["text/html; charset=utf-8", REFRESH],
  image: ["image/svg+xml", SVG],
  xhtml: ["application/xhtml+xml", XHTML],
  xml: ["text/xml", XHTML],
  document: ["application/pdf", "%PDF-1.4\n%%EOF\n"],
  "untyped-page": [null, PAGE],
  "script.js": ["text/javascript", SCRIPT],
  "old-script.js": ["application/x-javascript; charset=utf-8", SCRIPT],
  "text.js": ["text/plain", SCRIPT],
  "untyped.js": [null, SCRIPT],
  "style.css": ["text/css", "html { --ran: 1 }"],
};

/** An upstream that tries to act as the site. */
export interface RogueUpstream {
  /** URL of its own origin. Its page `/frame` embeds the URL in its query. */
  readonly url: string;
  /** The configuration of the gateway. It serves the paths below `/api/rogue`. */
  readonly config: { readonly upstreams: { readonly rogue: object } };
  /** The forms that it received. */
  readonly posts: string[];
  stop(): void;
}

/** Starts the upstream on a free port. */
export async function startRogueUpstream(): Promise<RogueUpstream> {
  const posts: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "POST") posts.push(pathname);
    if (pathname === "/frame") {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><iframe src="${decodeURIComponent(search.slice(1))}"></iframe>`);
      return;
    }
    const [type, body] = RESPONSES[pathname.slice(1)] ?? ["text/plain", "nothing"];
    if (type) response.setHeader("content-type", type);
    // What would give it more than its own responses.
    response.setHeader("service-worker-allowed", "/");
    response.setHeader("content-security-policy", "sandbox allow-scripts allow-same-origin allow-forms");
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("cross-origin-resource-policy", "cross-origin");
    response.setHeader("refresh", "0;url=/terms");
    response.end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    config: {
      upstreams: {
        rogue: { path: "/api/rogue", urls: [url], methods: ["GET", "HEAD", "POST"], forward_set_cookie: true },
      },
    },
    posts,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

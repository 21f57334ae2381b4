import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An upstream with events, for the section in live-section.ts. */
export interface EventsUpstream {
  /** The configuration of the gateway. */
  readonly config: { readonly upstreams: { readonly events: object } };
  /** The requests that it received: method, path and cookies. */
  readonly requests: string[];
  /** Whether it answers with 500. */
  isBroken: boolean;
  /** The list of events, and how long it is fresh. */
  list: { value: unknown; cacheControl: string };
  stop(): void;
}

const TITLES: Readonly<Record<string, string>> = { "7": "Jazz", "8": "Chess" };

async function reserve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = new URLSearchParams(await text(request)).get("name") ?? "";
  const isSoldOut = name === "late";
  if (request.headers.accept !== "application/json")
    response.writeHead(303, { location: isSoldOut ? "/hello" : "/hello/thanks" }).end();
  else if (isSoldOut) sendJson(response, { error: "Sold out." }, 409);
  else sendJson(response, { name });
}

function sendJson(response: ServerResponse, value: unknown, status = 200, cacheControl = "no-store"): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": cacheControl });
  response.end(JSON.stringify(value));
}

/** Starts the upstream on a free port. */
export async function startEventsUpstream(): Promise<EventsUpstream> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push(`${method} ${url} ${headers.cookie ?? ""}`.trimEnd());
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const id = pathname.slice("/event/".length);
    if (upstream.isBroken) sendJson(response, { error: "broken" }, 500);
    else if (pathname === "/list") sendJson(response, upstream.list.value, 200, upstream.list.cacheControl);
    else if (pathname === "/me") sendJson(response, { cookie: headers.cookie ?? "" });
    else if (pathname === "/search")
      response.writeHead(303, { location: `/hello/${searchParams.get("q") ?? ""}` }).end();
    else if (pathname === "/reserve") void reserve(request, response);
    else if (id === "old") sendJson(response, { id: "7", title: "Jazz" });
    else if (id in TITLES) sendJson(response, { id, title: TITLES[id] });
    else sendJson(response, { error: "unknown" }, 404);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const urls = [`http://127.0.0.1:${String(port)}`];
  const upstream: EventsUpstream = {
    config: {
      upstreams: { events: { path: "/api/events", urls, methods: ["GET", "HEAD", "POST"], forward_cookies: true } },
    },
    requests,
    isBroken: false,
    list: { value: Object.keys(TITLES), cacheControl: "no-store" },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return upstream;
}

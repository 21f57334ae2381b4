import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, test } from "vitest";

import type { DevelopmentPages } from "./pages.js";
import { Proxy } from "./proxy.js";
import type { Shells } from "./shells.js";

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

/** Starts a proxy without sections. */
async function proxyOf(site: string): Promise<string> {
  const options = { site, apis: new Map(), sections: () => [], client: "/client.js" };
  const proxy = new Proxy({ ...options, shells: {} as Shells, pages: {} as DevelopmentPages });
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

import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import { afterEach, expect, test, vi } from "vitest";

import { forwardUpgrade } from "./upgrade.js";

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Starts a server whose WebSockets are served like this. Returns its origin. */
async function serve(upgrade: (request: IncomingMessage, socket: Duplex) => void): Promise<string> {
  const server: Server = createServer((_, response) => response.writeHead(404).end());
  server.on("upgrade", (received: IncomingMessage, socket: Duplex) => {
    closes.push(() => socket.destroy());
    upgrade(received, socket);
  });
  server.listen(0, "127.0.0.1");
  closes.push(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Starts a proxy of a site. Returns its origin. */
async function proxyOf(site: string): Promise<string> {
  const local = await serve((received, socket) => {
    forwardUpgrade(received, socket, site + (received.url ?? ""), local);
  });
  return local;
}

function open(url: string, origin: string): ReturnType<typeof request> {
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "a", origin };
  return request(url, { headers }).end();
}

test("a WebSocket passes in both directions, and ends with either end", async () => {
  let received: IncomingMessage | undefined;
  const site = await serve((message, socket) => {
    received = message;
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n");
    socket.write("sec-websocket-accept: b\r\n\r\nfirst");
    socket.pipe(socket);
  });
  const local = await proxyOf(site);
  const upgraded = await once(open(`${local}/api/live?a=1`, local), "upgrade");
  const [response, socket, first] = upgraded as [IncomingMessage, Duplex, Buffer];
  expect(response.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-accept": "b" });
  expect(received?.url).toBe("/api/live?a=1");
  expect(received?.headers).toMatchObject({ origin: site, host: new URL(site).host, "sec-websocket-key": "a" });
  let text = first.toString();
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.write(" second");
  await vi.waitFor(() => {
    expect(text).toBe("first second");
  });
  received?.socket.destroy();
  await once(socket, "close");
});

test("pages of other sites, and sites without the WebSocket, get its error", async () => {
  const site = await serve((_, socket) => socket.end("HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\n\r\n"));
  const local = await proxyOf(site);
  for (const [origin, status] of [
    ["https://evil.example", 403],
    [local, 501],
  ] as const) {
    const [response] = (await once(open(`${local}/api/live`, origin), "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
  }
});

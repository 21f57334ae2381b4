import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { requestHeaders, sendRequest } from "./forward.js";

/** Opens the WebSocket of a request at a URL, and connects both ends. `local` is the origin of this server. */
export function forwardUpgrade(request: IncomingMessage, client: Duplex, url: string, local: string): void {
  const { origin } = new URL(url);
  client.on("error", () => client.destroy());
  // Browsers let pages of all sites open WebSockets to this machine.
  if (request.headers.origin !== local) {
    refuse(client, "403 Forbidden");
    return;
  }
  const headers = { ...requestHeaders(request.headers, local, origin), connection: "Upgrade", upgrade: "websocket" };
  const call = sendRequest(url, { headers });
  call.on("upgrade", (response, upstream, first: Buffer) => {
    const fields = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => `${name}: ${value}\r\n`),
    );
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join("")}\r\n`);
    client.write(first);
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    upstream.pipe(client).pipe(upstream);
  });
  call.on("response", ({ statusCode = 502, statusMessage = "" }) => {
    refuse(client, `${String(statusCode)} ${statusMessage}`);
  });
  call.on("error", () => {
    refuse(client, "502 Bad Gateway");
  });
  call.end();
}

function refuse(client: Duplex, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

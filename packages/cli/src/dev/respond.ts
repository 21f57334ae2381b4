import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";

import { typeOf } from "../build/release.js";

// A build replaces a file under the same name.
const CACHE_CONTROL = "no-store";

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": CACHE_CONTROL }).end(body);
}

/** Sends a text. */
export function sendText(response: ServerResponse, status: number, body: string): void {
  send(response, status, "text/plain; charset=utf-8", body);
}

/** Sends a page. */
export function sendHtml(response: ServerResponse, body: string): void {
  send(response, 200, "text/html; charset=utf-8", body);
}

/** Sends data as JSON. */
export function sendJson(response: ServerResponse, data: unknown): void {
  send(response, 200, "application/json", JSON.stringify(data));
}

/** Sends a file, which must exist. */
export function sendFile(response: ServerResponse, file: string): void {
  response.writeHead(200, { "content-type": typeOf(file), "cache-control": CACHE_CONTROL });
  createReadStream(file)
    .on("error", () => response.destroy())
    .pipe(response);
}

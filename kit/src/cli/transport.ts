import { request as requestPlain, type ClientRequest, type OutgoingHttpHeaders } from "node:http";
import { request as requestSecure } from "node:https";
import { text } from "node:stream/consumers";

/** What a request carries. */
export interface Body {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Called with the number of bytes that have left, each time some have. */
  readonly onSent?: (bytes: number) => void;
}

/** Bytes that are written at a time. */
const PART = 64 * 1024;
/** How long the other side may be silent. */
const PATIENCE_MS = 300_000;

/**
 * Makes one request, with a body whose length is said beforehand and whose parts leave one after the other.
 * No redirect is followed: the credentials are for this address alone.
 */
export function exchange(
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body?: Body,
): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(body?.bytes ?? "");
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method,
      timeout: PATIENCE_MS,
      headers: { ...headers, ...(body && { "content-type": body.type, "content-length": bytes.length }) },
    });
    call.on("timeout", () => call.destroy(new Error(`silent for ${String(PATIENCE_MS / 1000)} seconds`)));
    call.on("error", reject);
    call.on("response", (response) => {
      text(response)
        .then((answer) => {
          resolve({ status: response.statusCode ?? 0, text: answer });
        }, reject)
        // A refusal may come before everything has left; the rest is not wanted.
        .finally(() => call.destroy());
    });
    // What goes wrong in writing is an "error" of the request, too.
    write(call, bytes, body?.onSent).catch(() => undefined);
  });
}

async function write(call: ClientRequest, bytes: Buffer, onSent?: (bytes: number) => void): Promise<void> {
  for (let sent = 0; sent < bytes.length;) {
    const part = bytes.subarray(sent, sent + PART);
    await new Promise<void>((resolve, reject) => {
      call.write(part, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    sent += part.length;
    onSent?.(sent);
  }
  call.end();
}

import { request as requestPlain, type ClientRequest, type OutgoingHttpHeaders } from "node:http";
import { request as requestSecure } from "node:https";
import { text } from "node:stream/consumers";

/** Body of a request. */
export interface RequestBody {
  /** MIME type. */
  readonly type: string;
  /** The content; a string is sent in UTF-8. */
  readonly bytes: Uint8Array | string;
  /** Called after each chunk with the number of bytes sent so far. */
  readonly onSent?: (bytes: number) => void;
}

const CHUNK_BYTES = 64 * 1024;
const IDLE_TIMEOUT_MS = 300_000;

/**
 * Sends one request with a Content-Length, in chunks. Does not follow redirects, because the credentials are for this
 * URL only.
 */
export function sendRequest(
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body?: RequestBody,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(body?.bytes ?? "");
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method,
      signal,
      timeout: IDLE_TIMEOUT_MS,
      headers: { ...headers, ...(body && { "content-type": body.type, "content-length": bytes.length }) },
    });
    call.on("timeout", () => call.destroy(new Error(`no data for ${String(IDLE_TIMEOUT_MS / 1000)} seconds`)));
    call.on("error", reject);
    call.on("response", (response) => {
      text(response)
        .then((responseText) => {
          resolve({ status: response.statusCode ?? 0, text: responseText });
        }, reject)
        // An error response may arrive before the upload is complete; abort the rest.
        .finally(() => call.destroy());
    });
    // Write errors also emit "error" on the request.
    writeBody(call, bytes, body?.onSent).catch(() => undefined);
  });
}

async function writeBody(call: ClientRequest, bytes: Buffer, onSent?: (bytes: number) => void): Promise<void> {
  for (let sent = 0; sent < bytes.length;) {
    const chunk = bytes.subarray(sent, sent + CHUNK_BYTES);
    await new Promise<void>((resolve, reject) => {
      call.write(chunk, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    sent += chunk.length;
    onSent?.(sent);
  }
  call.end();
}

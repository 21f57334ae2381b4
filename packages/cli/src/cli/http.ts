import { request as requestPlain, type ClientRequest, type OutgoingHttpHeaders } from "node:http";
import { request as requestSecure } from "node:https";
import { text } from "node:stream/consumers";

/** Body of a request. */
export interface RequestBody {
  /** MIME type. */
  readonly type: string;
  /** Headers that describe it. */
  readonly headers?: OutgoingHttpHeaders;
  /** The content; a string is sent in UTF-8. */
  readonly bytes: Uint8Array | string;
  /** Called after each chunk with the number of bytes sent so far. */
  readonly onSent?: (bytes: number) => void;
}

/** What a request has besides its URL and method. */
export interface RequestOptions {
  readonly headers: OutgoingHttpHeaders;
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The certificate chain of the client and its private key, in PEM, if the server needs one. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

const CHUNK_BYTES = 64 * 1024;
const IDLE_TIMEOUT_MS = 300_000;

/** Whether nobody else reads what is sent to a URL: it has TLS, or is of this machine. */
export function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Sends one request with a Content-Length, in chunks. Does not follow redirects, because the credentials are for this
 * URL only.
 */
export function sendRequest(
  url: string,
  method: string,
  { headers, body, signal, certificate }: RequestOptions,
): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(body?.bytes ?? "");
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method,
      ...(signal && { signal }),
      ...certificate,
      timeout: IDLE_TIMEOUT_MS,
      headers: {
        ...headers,
        ...definedOf(body?.headers),
        ...(body && { "content-type": body.type, "content-length": bytes.length }),
      },
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

// Node.js rejects headers without a value.
function definedOf(headers: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
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

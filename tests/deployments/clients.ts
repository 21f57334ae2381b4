import { request, type IncomingMessage } from "node:http";

/** An HTTP client with its own loopback address. */
export interface Client {
  /** Requests a document and returns the response headers. */
  view(path: string): Promise<IncomingMessage["headers"]>;
  /** Sends an error report like the shell, and returns the response status. */
  report(body: object): Promise<number | undefined>;
}

/** Creates a client with the address 127.0.0.`host` and a cookie. */
export function clientAt(url: string, host: number, cookie?: string): Client {
  const localAddress = `127.0.0.${String(host)}`;

  function send(method: string, path: string, headers: Record<string, string>, body = ""): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const all = { ...headers, ...(cookie && { cookie }) };
      const outgoing = request(new URL(path, url), { method, localAddress, agent: false, headers: all }, (response) => {
        response.on("end", () => {
          resolve(response);
        });
        response.on("error", reject);
        response.resume();
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  return {
    async view(path) {
      return (await send("GET", path, { accept: "text/html" })).headers;
    },
    async report(body) {
      const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
      return (await send("POST", "/_report", headers, JSON.stringify(body))).statusCode;
    },
  };
}

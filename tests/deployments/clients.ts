import { request, type IncomingMessage } from "node:http";

/** A visitor without a browser, at an address of its own on this machine. */
export interface Client {
  /** Asks for a document and returns its answer's headers. */
  view(path: string): Promise<IncomingMessage["headers"]>;
  /** Reports a failure as the shell would, and returns the answer's status. */
  report(body: object): Promise<number | undefined>;
}

/** The client with the address 127.0.0.`host`, which sends this cookie. */
export function clientAt(url: string, host: number, cookie?: string): Client {
  const localAddress = `127.0.0.${String(host)}`;

  function send(method: string, path: string, headers: Record<string, string>, body = ""): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const all = { ...headers, ...(cookie && { cookie }) };
      const asking = request(new URL(path, url), { method, localAddress, agent: false, headers: all }, (response) => {
        response.on("end", () => {
          resolve(response);
        });
        response.on("error", reject);
        response.resume();
      });
      asking.on("error", reject);
      asking.end(body);
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

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The services of docs/recipes: a CMS, accounts and a counter of page views. */
export interface RecipesUpstream {
  /** The configuration of the gateway. */
  readonly config: { readonly upstreams: object };
  /** The pages whose views were counted. */
  readonly views: string[];
  stop(): void;
}

const NEWS: Readonly<Record<string, object>> = {
  "7": {
    title: "Tea",
    html:
      "<p style='color:red' onclick=alert(1)>Tea is <b id=back>back</b>. <a href='/hello/news/8'>Cups</a>" +
      "<script>alert(1)</script><a href='javascript:alert(1)'>Free</a>",
  },
  "8": { title: "Cups", html: "<h1>Blue</h1><p>With <i>two</i> handles. <img src=x onerror=alert(1)" },
};
const SESSION = "session=ada-1; Path=/; HttpOnly; SameSite=Lax";

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  // Also what belongs to a visitor, by mistake.
  response.writeHead(status, { "content-type": "application/json", "cache-control": "max-age=600" });
  response.end(JSON.stringify(value));
}

function redirectToAccount(response: ServerResponse, cookie: string): void {
  response.writeHead(303, { location: "/hello/account", "set-cookie": cookie }).end();
}

/** Starts the services on a free port. */
export async function startRecipesUpstream(): Promise<RecipesUpstream> {
  const views: string[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", headers } = request;
    const form = new URLSearchParams(await text(request));
    const isSignedIn = headers.cookie?.includes("session=ada-1") === true;
    if (url === "/account/me") sendJson(response, isSignedIn ? { name: "Ada Lovelace" } : null);
    else if (url === "/account/sign-out") redirectToAccount(response, `${SESSION}; Max-Age=0`);
    else if (url === "/account/sign-in" && form.get("password") === "right") redirectToAccount(response, SESSION);
    else if (url === "/account/sign-in") sendJson(response, { error: "Name or password is wrong." }, 401);
    else if (url === "/views") {
      views.push(form.get("page") ?? "");
      response.writeHead(204).end();
    } else sendJson(response, NEWS[url.slice("/news/".length)], url.slice("/news/".length) in NEWS ? 200 : 404);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const upstream = (name: string, more: object = {}): object => ({
    path: `/api/${name}`,
    urls: [`http://127.0.0.1:${String(port)}/${name}`],
    methods: ["GET", "HEAD", "POST"],
    ...more,
  });
  return {
    config: {
      upstreams: {
        news: upstream("news"),
        views: upstream("views"),
        account: upstream("account", { forward_cookies: true, forward_set_cookie: true }),
      },
    },
    views,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { readdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";

import { GatewayError, UsageError } from "../build/usageError.js";
import { locateBrowserError, parseBrowserError } from "./browserError.js";
import { errorsPage } from "./errorsPage.js";
import type { DevelopmentPages } from "./pages.js";
import type { DevelopmentProblem } from "./problem.js";
import type { Proxy } from "./proxy.js";
import { sendFile, sendHtml, sendJson, sendText } from "./respond.js";
import type { DevelopmentSection } from "./section.js";
import type { Shells } from "./shells.js";
import type { ServerState } from "./state.js";

/** Options of {@link DevelopmentServer}. */
interface ServerOptions {
  readonly proxy: Proxy;
  readonly shells: Shells;
  readonly pages: DevelopmentPages;
  /** Sections by name. */
  readonly sections: ReadonlyMap<string, DevelopmentSection>;
  /** The problems to show. */
  readonly problems: () => readonly DevelopmentProblem[];
  /** Called when a page reports a problem. */
  readonly onBrowserProblem: (problem: DevelopmentProblem) => void;
}

const CLIENT = path.join(import.meta.dirname, "client");
const PREFIX = "/_development/";
const MAX_REPORT_BYTES = 100_000;

/** URL path of the page that explains the codes. */
export const ERRORS_PAGE = `${PREFIX}errors`;
/** URL path of the script that connects a page to this server. */
export const CLIENT_SCRIPT = `${PREFIX}client/index.js`;

/** The server of `colonnade dev`. */
export class DevelopmentServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #eventStreams = new Set<ServerResponse>();
  readonly #webSockets = new Set<Duplex>();
  #clientFiles: ReadonlySet<string> = new Set();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else sendText(response, error instanceof GatewayError ? 502 : 500, messageOf(error));
      });
    });
    this.#server.on("upgrade", (request, socket) => {
      this.#upgrade(request, socket);
    });
  }

  /**
   * Starts to listen. Returns the URL.
   *
   * @throws UsageError if the port is in use.
   */
  async listen(port: number, host: string): Promise<string> {
    this.#clientFiles = new Set((await readdir(CLIENT)).filter((file) => file.endsWith(".js")));
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
        const where = `port ${String(port)} of ${host}`;
        const reason =
          code === "EADDRINUSE" ? `${where} is in use; pass another one with --port` : `${where}: ${message}`;
        reject(new UsageError(reason));
      });
      this.#server.listen(port, host, resolve);
    });
    const { port: actual, family } = this.#server.address() as AddressInfo;
    const name = host === "127.0.0.1" ? "localhost" : host;
    return `http://${family === "IPv6" && isIP(name) === 6 ? `[${name}]` : name}:${String(actual)}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
      for (const socket of this.#webSockets) socket.destroy();
    });
  }

  /** Sends the current state to all pages. */
  broadcast(): void {
    const event = this.#event();
    for (const stream of this.#eventStreams) stream.write(event);
  }

  #event(): string {
    const { pages, problems } = this.#options;
    const state: ServerState = { builds: pages.builds(), problems: problems() };
    return `data: ${JSON.stringify(state)}\n\n`;
  }

  #upgrade(request: IncomingMessage, socket: Duplex): void {
    const { host = "", upgrade } = request.headers;
    const isServed = isLocalHost(host) && upgrade?.toLowerCase() === "websocket" && request.url?.startsWith("/api/");
    if (!isServed) {
      socket.destroy();
      return;
    }
    this.#webSockets.add(socket);
    socket.on("close", () => this.#webSockets.delete(socket));
    this.#options.proxy.upgrade(request, socket, new URL(`http://${host}${request.url ?? "/"}`));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "" } = request.headers;
    if (!isLocalHost(host)) {
      sendText(response, 421, "This server does not serve this host. Open localhost or an IP address.\n");
      return;
    }
    const url = new URL(`http://${host}${request.url ?? "/"}`);
    const { pathname } = url;
    if (pathname.startsWith(PREFIX)) await this.#handleDevelopment(request, response, url);
    else if (pathname === "/_report") {
      // The site would count errors of a development build for its live release.
      request.resume();
      response.writeHead(204).end();
    } else if (!(await this.#sendAsset(response, pathname))) await this.#options.proxy.respond(request, response, url);
  }

  async #handleDevelopment(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const name = url.pathname.slice(PREFIX.length);
    const [folder, file = ""] = name.split("/");
    if (name === "events") this.#sendEvents(request, response);
    else if (name === "view") await this.#sendViewChange(response, url.searchParams);
    else if (name === "errors" && request.method === "POST") await this.#locate(request, response, url.origin);
    else if (name === "errors") sendHtml(response, await errorsPage());
    else if (folder === "client" && this.#clientFiles.has(file)) sendFile(response, path.join(CLIENT, file));
    else sendText(response, 404, "not found\n");
  }

  #sendEvents(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(this.#event());
    this.#eventStreams.add(response);
    request.on("close", () => this.#eventStreams.delete(response));
  }

  async #sendViewChange(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const { pages, sections } = this.#options;
    const section = sections.get(query.get("section") ?? "");
    if (!section) sendText(response, 404, "not found\n");
    else sendJson(response, await pages.compareView(query.get("path") ?? "", section, query.get("build") ?? ""));
  }

  async #locate(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
    const { origin: sender, "content-length": length = Infinity } = request.headers;
    const isValid = sender === origin && Number(length) <= MAX_REPORT_BYTES;
    const error = isValid ? parseBrowserError(await text(request)) : undefined;
    if (!error) {
      sendText(response, 400, "Expected an error report from a page of this server.\n");
      return;
    }
    const { sections, pages, onBrowserProblem } = this.#options;
    const problem = await locateBrowserError(sections, error, pages.find(error.path, null)?.section.name);
    onBrowserProblem(problem);
    sendJson(response, problem);
  }

  /** Sends a file of a section's build or of the shell's development variant. */
  async #sendAsset(response: ServerResponse, pathname: string): Promise<boolean> {
    const { sections, shells } = this.#options;
    const section = [...sections.values()].find(({ assets }) => pathname.startsWith(assets));
    const file = section ? section.file(pathname.slice(section.assets.length)) : await shells.file(pathname);
    if (file !== undefined) sendFile(response, file);
    else if (section) sendText(response, 404, "not found\n");
    return section !== undefined || file !== undefined;
  }
}

/** Whether a host is an IP address or localhost, which DNS rebinding cannot use. */
function isLocalHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

function messageOf(error: unknown): string {
  return `colonnade dev: ${error instanceof Error ? error.message : String(error)}\n`;
}

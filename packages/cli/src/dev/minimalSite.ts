import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import * as tar from "tar";

import type { Facts } from "@colonnade/kit";
import type { Boot } from "@colonnade/kit/shell";
import { DEVELOPMENT_MANIFEST, DEVELOPMENT_SHELL, type DevelopmentShell } from "../build/developmentShell.js";
import { PLACEHOLDER_SITE } from "../check/sandbox/site.js";
import { DENIED_FEATURES } from "./policy.js";

// scripts/build-shell.mjs creates it.
const ARCHIVE = path.join(import.meta.dirname, "../../development-shell/dist", DEVELOPMENT_SHELL);

/** The policies of a gateway's documents, so that browsers report a section's violations. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types default",
  "permissions-policy": DENIED_FEATURES,
};

/** A site without sections, in this process. */
export interface MinimalSite {
  readonly origin: string;
  close(): void;
}

/** Whether this package contains a shell. The build of the releases and a packed package have one. */
export function hasShell(): boolean {
  return existsSync(ARCHIVE);
}

/** Starts a site without sections on a free port, with the shell of this package and these facts. */
export async function startMinimalSite(facts: Facts): Promise<MinimalSite> {
  const archive = await readFile(ARCHIVE);
  const shell = await readManifest(archive);
  const assets = `/assets/shell/${shell.version}/`;
  // A build blocks this process, so that the client would not notice that the server has closed an idle connection.
  const server = createServer({ keepAliveTimeout: 0 }, ({ url = "", method }, response) => {
    if (url === assets + DEVELOPMENT_SHELL) response.writeHead(200).end(archive);
    else if (url.startsWith("/_page/")) response.writeHead(404).end();
    else if (url.startsWith("/_remotes/")) response.writeHead(200, { "content-type": "application/json" }).end("{}");
    // As a gateway without upstreams.
    else if (url.startsWith("/api/"))
      response.writeHead(404, { "proxy-status": "colonnade; error=destination_not_found" }).end();
    else if (method === "GET") response.writeHead(404, HEADERS).end(documentOf(shell, assets, facts));
    else response.writeHead(405, { allow: "GET" }).end();
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function readManifest(archive: Buffer): Promise<DevelopmentShell> {
  const chunks: Buffer[] = [];
  const parser = new tar.Parser({
    onReadEntry(entry) {
      if (path.posix.normalize(entry.path) === DEVELOPMENT_MANIFEST) entry.on("data", (chunk) => chunks.push(chunk));
      else entry.resume();
    },
  });
  await new Promise<void>((resolve, reject) => {
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.end(archive);
  });
  return JSON.parse(Buffer.concat(chunks).toString()) as DevelopmentShell;
}

/** Returns a document with the not-found page, which the browser renders. `colonnade dev` replaces the page. */
function documentOf({ scripts, styles }: DevelopmentShell, assets: string, facts: Facts): string {
  const site = { ...PLACEHOLDER_SITE, facts, today: new Date().toISOString().slice(0, 10) };
  const boot: Boot = { deployment: "1", site, configs: {}, page: null };
  const links = styles.map((file) => {
    const name = path.basename(file);
    return `<link rel="stylesheet" href="${assets}${name}" data-href="${name}">`;
  });
  const elements = scripts.map((file) => `<script src="${assets}${path.basename(file)}" defer></script>`);
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">' +
    `<title>${site.brand}</title>${links.join("")}${elements.join("")}</head><body><div id="root"></div>` +
    `<script type="application/json" id="boot">${JSON.stringify(boot)}</script></body></html>\n`
  );
}

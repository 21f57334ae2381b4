// Builds the site as one client bundle, with the kit's webpack preset for the shell, and serves it with the boot payloads of
// a real site.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import webpack from "webpack";

import { compile } from "../packages/cli/dist/build/compile.js";
import { readEntry } from "../packages/cli/dist/build/entry.js";
import { installedVersions } from "../packages/cli/dist/build/shared.js";
import { clientConfiguration } from "../packages/cli/dist/build/webpack.js";
import { PACKAGES } from "../tests/support/repository.mjs";

/** The shell's modules that load sections, as other modules of it request them. */
export const LOADING_MODULES = /^\.{1,2}\/(loading\/)?(federation|shareScope)\.js$/;

const PREFIX = "/assets/shell/one-bundle/";
const TYPES = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const [SHELL, ...SECTIONS] = PACKAGES;
// The quality at which the gateway compresses documents.
const DOCUMENT_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

// Headers that are specific to one response.
const RESPONSE_SPECIFIC = new Set([
  "content-encoding",
  "content-length",
  "date",
  "etag",
  "transfer-encoding",
  "x-request-id",
]);

// The preset's script optimizations beyond webpack's defaults: eager compilation, and removing unused router components.
const isOptimization = (plugin) => plugin instanceof webpack.BannerPlugin;
const isOptimizationRule = ({ loader }) => String(loader).includes("router-loader");

/** Builds into a folder. Returns the files of the main bundle, and those of each page by section and pattern. */
async function build(output, plain) {
  const context = { folder: SHELL, config: { name: "shell", kind: "shell", entry: "./src/shell.tsx" } };
  const configuration = clientConfiguration({
    ...context,
    output,
    identity: { version: "one-bundle", container: "one_bundle" },
    installed: installedVersions(SHELL),
    mode: { final: false },
  });
  configuration.entry = { main: path.join(import.meta.dirname, "shell-entry.js") };
  const { module } = configuration;
  if (plain) configuration.module = { ...module, rules: module.rules.filter((rule) => !isOptimizationRule(rule)) };
  configuration.plugins = [
    ...configuration.plugins.filter((plugin) => !(plain && isOptimization(plugin))),
    new webpack.NormalModuleReplacementPlugin(
      LOADING_MODULES,
      path.join(import.meta.dirname, "one-bundle-sections.js"),
    ),
  ];
  const { chunkGroups } = await compile(configuration, context);
  const filesOf = (predicate) => [...new Set(chunkGroups.filter(predicate).flatMap((group) => group.getFiles()))];

  const pages = new Map();
  for (const folder of SECTIONS) {
    const entry = path.join(folder, "src/section.ts");
    const name = path.basename(folder).replace("mfe-", "");
    for (const [pattern, request] of (await readEntry(entry)).pages) {
      const isPage = ({ origins }) =>
        origins.some((origin) => origin.request === request && origin.module.resource === entry);
      pages.set(`${name} ${pattern}`, filesOf(isPage));
    }
  }
  return { main: filesOf((group) => group.name === "main"), pages };
}

/** Reads the files of a folder, by URL path, with their compressed bodies. */
export async function readFiles(folder, prefix) {
  const files = new Map();
  for (const name of await readdir(folder)) {
    const bytes = await readFile(path.join(folder, name));
    const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
    const type = TYPES[path.extname(name)];
    if (type) files.set(prefix + name, { name, type, integrity, bytes, body: brotliCompressSync(bytes) });
  }
  return files;
}

/**
 * Returns a document like the gateway's: the same scripts and preloads in the same order and with the same priority,
 * inlined stylesheets, and the boot payload at the end.
 */
function documentOf(boot, main, page, files) {
  const assetsOf = (names) =>
    names.map((name) => {
      const { integrity } = files.get(PREFIX + name);
      return { href: PREFIX + name, name, integrity, type: name.endsWith(".css") ? "style" : "script" };
    });
  const pageAssets = assetsOf(page);
  const all = [...assetsOf(main), ...pageAssets];
  const scripts = all.filter(({ type }) => type === "script");
  const startTags = scripts.filter(({ name }) => main.includes(name)).map(startTag);
  const preloadTags = scripts.filter(({ name }) => !main.includes(name)).map(preloadTag);
  const styles = all
    .filter(({ type }) => type === "style")
    .map(({ name }) => `<style data-href="${name}">${String(files.get(PREFIX + name).bytes)}</style>`);
  const icon = [...files.keys()].find((href) => href.includes("/favicon."));
  // Drop the gateway's rendered view: here the browser renders.
  const payload = {
    ...boot,
    view: undefined,
    page: { ...boot.page, section: { ...boot.page.section, assets: [] }, assets: pageAssets },
  };
  const json = JSON.stringify(payload).replaceAll("<", "\\u003c");
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>One bundle</title>' +
    `${[...startTags, ...preloadTags, ...styles].join("")}<link rel="icon" href="${icon}" type="image/svg+xml"></head>` +
    `<body><div id="root"></div><script type="application/json" id="boot">${json}</script></body></html>`
  );
}

/**
 * Returns a real document's headers, adapted to `html`. Security headers affect paint times: an opener policy, for
 * example, makes the browser start another process.
 *
 * @param {Headers} headers
 * @param {string} html
 */
export function headersLike(headers, html) {
  const styles = [...html.matchAll(/<style[^>]*>(.*?)<\/style>/gs)].map(([, text]) => `'sha256-${digestOf(text)}'`);
  const policy = headers.get("content-security-policy") ?? "";
  const adapted = policy.replace(/style-src [^;]*/, `style-src 'self' ${styles.join(" ")}`);
  const rest = [...headers].filter(([name]) => !RESPONSE_SPECIFIC.has(name));
  return { ...Object.fromEntries(rest), "content-security-policy": adapted, "content-encoding": "br" };
}

/** @param {string | undefined} text */
function digestOf(text = "") {
  return createHash("sha256").update(text).digest("base64");
}

function startTag({ href, integrity }) {
  return `<script src="${href}" defer fetchpriority="high" integrity="${integrity}" crossorigin="anonymous"></script>`;
}

function preloadTag({ href, integrity }) {
  return `<link rel="preload" as="script" href="${href}" integrity="${integrity}" crossorigin="anonymous">`;
}

/**
 * Builds the bundle and serves it.
 *
 * @param {(path: string) => Promise<{ boot: any, headers: Headers }>} read returns the boot payload and headers of a path
 *   on a real site
 * @param {{ plain?: boolean }} [options] `plain`: without the preset's script optimizations
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startOneBundle(read, { plain = false } = {}) {
  const output = await mkdtemp(path.join(os.tmpdir(), "colonnade-one-bundle-"));
  const { main, pages } = await build(output, plain);
  const files = await readFiles(path.join(output, "client"), PREFIX);
  await rm(output, { recursive: true });

  async function compose(url) {
    const { boot, headers } = await read(url);
    const page = boot?.page && pages.get(`${boot.page.section.name} ${boot.page.pattern}`);
    if (!page) return undefined;
    const html = documentOf(boot, main, page, files);
    return { headers: headersLike(headers, html), html };
  }
  return serveFiles(files, compose);
}

/**
 * Serves files and documents, compressed.
 *
 * @param {Map<string, { type: string, body: Buffer }>} files by URL path
 * @param {(url: string) => Promise<{ headers: Record<string, string>, html: string } | undefined>} compose returns a document,
 *   which is kept
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function serveFiles(files, compose) {
  const documents = new Map();
  async function read(url) {
    const composed = await compose(url);
    return composed && { headers: composed.headers, body: brotliCompressSync(composed.html, DOCUMENT_BROTLI) };
  }

  const server = createServer((request, response) => {
    void (async () => {
      const file = files.get(request.url);
      if (file) {
        const headers = { "content-type": file.type, "content-encoding": "br", "access-control-allow-origin": "*" };
        response.writeHead(200, headers).end(file.body);
        return;
      }
      // Others are a report of a client error, or `/favicon.ico`.
      if (request.headers["sec-fetch-dest"] !== "document") {
        response.writeHead(404).end();
        return;
      }
      if (!documents.has(request.url)) documents.set(request.url, await read(request.url));
      const document = documents.get(request.url);
      if (!document) response.writeHead(404).end();
      else {
        response.writeHead(200, document.headers).end(document.body);
      }
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

// Builds the site with @module-federation/enhanced as its guide sets it up, and serves it with the boot payloads of a real
// site: a host and four remotes with manifests, React as a shared singleton, and pages that the browser renders.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { ModuleFederationPlugin } from "@module-federation/enhanced/webpack";
import webpack from "webpack";
import { SubresourceIntegrityPlugin } from "webpack-subresource-integrity";

import { compile } from "../packages/cli/dist/build/compile.js";
import { loadConfig } from "../packages/cli/dist/build/config.js";
import { installedVersions, SHARED_PACKAGES } from "../packages/cli/dist/build/shared.js";
import { clientConfiguration } from "../packages/cli/dist/build/webpack.js";
import { PACKAGES } from "../tests/support/repository.mjs";
import { headersLike, LOADING_MODULES, readFiles, serveFiles } from "./one-bundle.mjs";

const VERSION = "enhanced";
/** What the kit's preset adds to a default set-up. */
const ADDED = [webpack.container.ModuleFederationPlugin, webpack.BannerPlugin, SubresourceIntegrityPlugin];
const [SHELL = "", ...SECTIONS] = PACKAGES;
const prefixOf = (/** @type {string} */ name) => `/assets/${name}/${VERSION}/`;
const nameOf = (/** @type {string} */ folder) => path.basename(folder).replace("mfe-", "");

/** What the guide sets for a host and a remote. @param {string} folder */
function federationOf(folder) {
  const name = nameOf(folder);
  const isHost = folder === SHELL;
  const remotes = SECTIONS.map(nameOf).map((remote) => [remote, `${remote}@${prefixOf(remote)}mf-manifest.json`]);
  return new ModuleFederationPlugin({
    name,
    ...(isHost
      ? { remotes: Object.fromEntries(remotes) }
      : { filename: "remoteEntry.js", exposes: { "./section": path.join(folder, "src/section.ts") } }),
    shared: Object.fromEntries(
      // Two copies of the kit would have two contexts, so only the host has it.
      SHARED_PACKAGES.map((shared) => [
        shared,
        { singleton: true, ...(shared === "@colonnade/kit" && !isHost && { import: false }) },
      ]),
    ),
    dts: false,
  });
}

/** Builds a package. Returns its files by URL path. @param {string} folder */
async function build(folder) {
  const output = await mkdtemp(path.join(os.tmpdir(), "colonnade-enhanced-"));
  const context = {
    ...{ folder, output, config: await loadConfig(folder), installed: installedVersions(folder) },
    identity: { version: VERSION, container: nameOf(folder), inputs: "" },
    mode: { final: false },
  };
  const configuration = clientConfiguration(context);
  configuration.entry = folder === SHELL ? { main: path.join(import.meta.dirname, "enhanced-entry.js") } : {};
  const plugins = configuration.plugins ?? [];
  // The kit's shell loads no manifests, which these remotes have.
  for (const plugin of plugins)
    if (plugin instanceof webpack.DefinePlugin) delete plugin.definitions["FEDERATION_OPTIMIZE_NO_SNAPSHOT_PLUGIN"];
  configuration.plugins = [
    ...plugins.filter((plugin) => !ADDED.some((added) => plugin instanceof added)),
    federationOf(folder),
    new webpack.NormalModuleReplacementPlugin(LOADING_MODULES, path.join(import.meta.dirname, "enhanced-sections.js")),
  ];
  const { entrypoints } = await compile(configuration, context);
  const files = await readFiles(path.join(output, "client"), prefixOf(nameOf(folder)));
  await rm(output, { recursive: true });
  return { files, scripts: entrypoints.get("main")?.getFiles() ?? [] };
}

/** Returns a document that starts the host. @param {any} boot @param {string[]} scripts */
function documentOf(boot, scripts) {
  const without = (/** @type {any} */ part) => ({ ...part, assets: [], section: { ...part.section, assets: [] } });
  const json = JSON.stringify({ ...boot, view: undefined, page: without(boot.page) }).replaceAll("<", "\\u003c");
  const tags = scripts.map((file) => `<script defer src="${prefixOf("shell")}${file}"></script>`);
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>Enhanced</title>${tags.join("")}</head>` +
    `<body><div id="root"></div><script type="application/json" id="boot">${json}</script></body></html>`
  );
}

/**
 * Builds the site and serves it.
 *
 * @param {(path: string) => Promise<{ boot: any, headers: Headers }>} read returns the boot payload and headers of a path
 *   on a real site
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startEnhanced(read) {
  const host = await build(SHELL);
  const all = new Map(host.files);
  for (const folder of SECTIONS) for (const [url, file] of (await build(folder)).files) all.set(url, file);
  return serveFiles(all, async (url) => {
    const { boot, headers } = await read(url);
    if (!boot?.page) return undefined;
    const html = documentOf(boot, host.scripts);
    const { "content-security-policy": policy = "", ...rest } = headersLike(headers, html);
    // The runtime loads entries before the shell creates its Trusted Types policy.
    const without = policy.replace(/(require-)?trusted-types[^;]*;?/g, "");
    return { html, headers: { ...rest, "content-security-policy": without } };
  });
}

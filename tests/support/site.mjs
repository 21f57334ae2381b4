import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { startBackend } from "../backend/server.mjs";
import { BACKEND_KEY, createToken, ROOT_FILES, signupConfig, writeConfig } from "./config.mjs";
import { startGateway } from "./gateway.mjs";
import { deployPackages } from "./deploy-packages.mjs";

/**
 * A running site: gateway, releases and sign-up backend.
 *
 * @typedef {object} Site
 * @property {string} url public URL of the site
 * @property {import("./gateway.mjs").Gateway} gateway
 * @property {Awaited<ReturnType<typeof startBackend>>} backend
 * @property {string} store the gateway's store folder
 * @property {import("@colonnade/cli").AdminAccess & { readonly token: string }} access
 * @property {boolean} serverRendering whether the gateway renders pages; the browser does otherwise
 * @property {() => Promise<void>} stop
 */

/**
 * Options for a test site.
 *
 * @typedef {object} SiteOptions
 * @property {boolean} [partner] whether sign-up has a partner (default: true)
 * @property {import("./config.mjs").Table | null} [signup] entries merged into `[signup]`; null removes the table
 * @property {import("./config.mjs").Table} [config] top-level tables that replace the defaults
 * @property {boolean} [serverRendering] whether the gateway renders pages (default: as `base`, otherwise true)
 * @property {Pick<Site, "store"> & Partial<Site>} [base] a site whose store is copied; faster than publishing every release again
 */

/**
 * Starts a separate site on free ports with the releases of the last build.
 *
 * @param {SiteOptions} [options]
 * @returns {Promise<Site>}
 */
export async function startSite({
  partner = true,
  signup = {},
  config = {},
  base,
  serverRendering = base?.serverRendering ?? true,
} = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-"));
  const store = path.join(folder, "store");
  if (base) await cp(base.store, store, { recursive: true });
  const backend = await startBackend({ port: 0, key: BACKEND_KEY });
  const { token, hash } = createToken();
  const tables = signupConfig(backend.url, { partner });
  const configFile = await writeConfig(folder, {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: store },
    // Generous limits for a busy machine. No warm-up: a test requests few of the pages.
    render: {
      enabled: serverRendering,
      warm_cache: false,
      deadline_ms: 20_000,
      query_deadline_ms: 2_000,
      cpu_limit_ms: 5_000,
    },
    admin: {
      tokens: [
        {
          name: "tests",
          hash,
          sections: ["*"],
          actions: ["publish", "deploy", "rollback", "preview", "garbage_collect", "purge"],
        },
      ],
    },
    ...ROOT_FILES,
    ...tables,
    signup: signup === null ? undefined : { .../** @type {object} */ (tables["signup"]), ...signup },
    ...config,
  });
  const gateway = await startGateway(configFile);
  const access = { url: gateway.admin, token };
  async function stop() {
    await gateway.stop();
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  }
  try {
    if (!base) await deployPackages(access);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: gateway.site, gateway, backend, store, access, serverRendering, stop };
}

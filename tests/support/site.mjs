import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { startBackend } from "../backend/server.mjs";
import { BACKEND_KEY, createToken, signupConfig, writeConfig } from "./config.mjs";
import { startGateway } from "./gateway.mjs";
import { deployPackages } from "./releases.mjs";

/**
 * The whole site, running: gateway, releases, sign-up backend.
 *
 * @typedef {object} Site
 * @property {string} url address of the site, as visitors use it
 * @property {import("./gateway.mjs").Gateway} gateway
 * @property {Awaited<ReturnType<typeof startBackend>>} backend
 * @property {string} store folder of the gateway's store
 * @property {import("@colonnade/kit/build").AdminAccess} access
 * @property {boolean} rendered whether the gateway renders pages, or leaves that to the browser
 * @property {() => Promise<void>} stop
 */

/**
 * How a site is to be.
 *
 * @typedef {object} SiteOptions
 * @property {boolean} [partner] whether sign-up has a partner; it has one unless told otherwise
 * @property {import("./config.mjs").Table | null} [signup] entries put over those of `[signup]`; null leaves it out
 * @property {import("./config.mjs").Table} [changes] tables put in place of others
 * @property {boolean} [rendered] whether the gateway renders pages: as `like` does, or else it does
 * @property {Pick<Site, "store"> & Partial<Site>} [like] a site whose store is copied, which is quicker than publishing everything again
 */

/**
 * Starts a site of its own on free ports, from the releases that the last build left.
 *
 * @param {SiteOptions} [options]
 * @returns {Promise<Site>}
 */
export async function startSite({
  partner = true,
  signup = {},
  changes = {},
  like,
  rendered = like?.rendered ?? true,
} = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-"));
  const store = path.join(folder, "store");
  if (like) await cp(like.store, store, { recursive: true });
  const backend = await startBackend({ port: 0, key: BACKEND_KEY });
  const { token, hash } = createToken();
  const tables = signupConfig(backend.url, { partner });
  const config = await writeConfig(folder, {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: store },
    // On a busy machine a page may take its time; most of a test's pages nobody asks for.
    render: { enabled: rendered, warm: false, deadline_ms: 10_000, cpu_ms: 5_000 },
    admin: {
      tokens: [
        { name: "tests", hash, sections: ["*"], actions: ["publish", "deploy", "rollback", "preview", "collect"] },
      ],
    },
    ...tables,
    signup: signup === null ? undefined : { .../** @type {object} */ (tables["signup"]), ...signup },
    ...changes,
  });
  const gateway = await startGateway(config);
  const access = { url: gateway.admin, token };
  async function stop() {
    await gateway.stop();
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  }
  try {
    if (!like) await deployPackages(access);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: gateway.site, gateway, backend, store, access, rendered, stop };
}

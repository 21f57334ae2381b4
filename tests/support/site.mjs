import { mkdtemp, rm } from "node:fs/promises";
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
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a site of its own on free ports, from the releases that the last build left.
 *
 * @param {{ partner?: boolean, changes?: import("./config.mjs").Table }} [options]
 * @returns {Promise<Site>}
 */
export async function startSite({ partner = true, changes = {} } = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-"));
  const store = path.join(folder, "store");
  const backend = await startBackend({ port: 0, key: BACKEND_KEY });
  const { token, hash } = createToken();
  const config = await writeConfig(folder, {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: store },
    admin: { tokens: [{ name: "tests", hash, sections: ["*"], actions: ["publish", "deploy"] }] },
    ...signupConfig(backend.url, { partner }),
    ...changes,
  });
  const gateway = await startGateway(config);
  const access = { url: gateway.admin, token };
  await deployPackages(access);
  return {
    url: gateway.site,
    gateway,
    backend,
    store,
    access,
    async stop() {
      await gateway.stop();
      await backend.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

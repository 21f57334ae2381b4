import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { createToken, writeConfig } from "./config.mjs";
import { deployPackages } from "./deploy-packages.mjs";
import { startGateway } from "./gateway.mjs";
import { MINIMAL, MINIMAL_CONFIG } from "./repository.mjs";

/** The running site of examples/minimal-shell. */
export interface MinimalSite {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the site of examples/minimal-shell on free ports, with the releases of the last build. */
export async function startMinimalSite(): Promise<MinimalSite> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-minimal-"));
  const { token, hash } = createToken();
  const changes = {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: path.join(folder, "store") },
    // Generous limits for a busy machine, as in site.mjs.
    render: { warm_cache: false, deadline_ms: 10_000, cpu_limit_ms: 5_000 },
    admin: { tokens: [{ name: "tests", hash, sections: ["*"], actions: ["publish", "deploy"] }] },
  };
  const gateway = await startGateway(await writeConfig(folder, changes, MINIMAL_CONFIG));
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await deployPackages({ url: gateway.admin, token }, MINIMAL);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: gateway.site, stop };
}

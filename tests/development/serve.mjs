// Runs a site for development until Ctrl-C.
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { createToken, writeConfig } from "../support/config.mjs";
import { deployPackages } from "../support/deploy-packages.mjs";
import { startGateway } from "../support/gateway.mjs";
import { ROOT } from "../support/repository.mjs";

/**
 * A site to run.
 *
 * @typedef {object} ServedSite
 * @property {number} port of the site listener
 * @property {number} adminPort
 * @property {string} store its folder
 * @property {string[]} packages folders of the shell and the sections, with their releases
 * @property {import("../support/config.mjs").Table} [config] changes of the configuration
 * @property {string} [base] path of the configuration file; by default that of the bundled site
 * @property {string} [more] further lines of what it prints
 * @property {() => Promise<void>} [close] called when the site stops
 */

/** Prints the message of an error and exits. @param {unknown} error @returns {never} */
export function fail(error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

/** Prints only warnings and errors of the gateway's log, not every request. @param {string} line */
function printWarning(line) {
  const { level } = JSON.parse(line);
  if (level === "WARN" || level === "ERROR") console.error(line);
}

/** Writes the configuration, and the token for publishing by hand. @param {ServedSite} site */
async function prepare({ port, adminPort, store, config = {}, base }) {
  const { token, hash } = createToken();
  // One folder per port, so that several sites can run in parallel.
  const folder = path.join(ROOT, ".run", String(port));
  await mkdir(folder, { recursive: true });
  // Readable only by the current user.
  const tokenFile = path.join(folder, "token");
  await rm(tokenFile, { force: true });
  await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
  const actions = ["publish", "deploy", "rollback", "preview", "garbage_collect", "purge"];
  const changes = {
    site: { origin: `http://localhost:${String(port)}` },
    listen: { site: `127.0.0.1:${String(port)}`, admin: `127.0.0.1:${String(adminPort)}` },
    store: { folder: store },
    admin: { tokens: [{ name: "development", hash, sections: ["*"], actions }] },
    ...config,
  };
  return { token, tokenFile, configFile: await writeConfig(folder, changes, base) };
}

/**
 * Starts the gateway, publishes and deploys the packages, and stops the gateway on Ctrl-C.
 *
 * @param {ServedSite} site
 */
export async function serve(site) {
  const { port, packages, more = "", close = () => Promise.resolve() } = site;
  const { token, tokenFile, configFile } = await prepare(site);
  const gateway = await startGateway(configFile, { log: printWarning }).catch(fail);
  let stopping = false;
  async function stop() {
    if (stopping) return;
    stopping = true;
    await gateway.stop();
    await close();
  }
  process.on("SIGINT", () => void stop());
  process.on("SIGTERM", () => void stop());
  void gateway.exited.then(async (code) => {
    await close();
    if (!stopping) console.error(`the gateway exited with code ${String(code)}`);
    process.exit(stopping ? process.exitCode : 1);
  });
  try {
    const { deployment, isNew } = await deployPackages({ url: gateway.admin, token }, packages);
    console.log(
      `${isNew ? "deployed" : "unchanged"}: deployment ${String(deployment.number)}\n\n` +
        `  site      http://localhost:${String(port)}\n` +
        `  admin     ${gateway.admin}\n${more}\n` +
        `To publish and deploy a section here:\n\n` +
        `  export COLONNADE_ADMIN=${gateway.admin} COLONNADE_TOKEN=$(cat ${path.relative(process.cwd(), tokenFile)})\n\n` +
        `Press Ctrl-C to stop.`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    await stop();
  }
}

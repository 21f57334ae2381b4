// Runs the site for development: starts a sign-up backend and the gateway, then publishes and deploys the five
// releases. PORT, ADMIN_PORT, BACKEND_PORT, EVENTS_PORT (of the API of `make example`) and STORE override the defaults.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { startBackend } from "../backend/server.mjs";
import { BACKEND_KEY, createToken, signupConfig, writeConfig } from "../support/config.mjs";
import { startGateway } from "../support/gateway.mjs";
import { deployPackages } from "../support/deploy-packages.mjs";
import { eventsUpstream } from "../support/events-api.mjs";
import { ROOT } from "../support/repository.mjs";
import { portFrom } from "./ports.mjs";

const port = portFrom("PORT", 8080);
const adminPort = portFrom("ADMIN_PORT", 9090);
const backendPort = portFrom("BACKEND_PORT", 9100);
const eventsPort = portFrom("EVENTS_PORT", 9200);
const store = path.resolve(ROOT, process.env["STORE"] ?? "store");

/** Whether the store has an earlier layout, which the gateway does not read. */
function isEarlier() {
  const [live, marker] = ["live.json", "store.json"].map((file) => path.join(store, file));
  if (!live || !existsSync(live)) return false;
  return !existsSync(marker ?? "") || "deployments" in JSON.parse(readFileSync(live, "utf8")).visible;
}

if (isEarlier()) {
  const aside = `${store}.${String(Date.now())}`;
  await rename(store, aside);
  console.log(`${store} has an earlier layout: it is now ${aside}`);
}

/** @param {unknown} error */
function fail(error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

/** Prints only warnings and errors of the gateway's log, not every request. @param {string} line */
function printWarning(line) {
  const { level } = JSON.parse(line);
  if (level === "WARN" || level === "ERROR") console.error(line);
}

const backend = await startBackend({ port: backendPort, key: BACKEND_KEY }).catch(fail);
if (!backend) process.exit(1);
const { token, hash } = createToken();
// One folder per port, so that several sites can run in parallel.
const folder = path.join(ROOT, ".run", String(port));
await mkdir(folder, { recursive: true });
// For publishing a section by hand. Readable only by the current user.
const tokenFile = path.join(folder, "token");
await rm(tokenFile, { force: true });
await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
const config = await writeConfig(folder, {
  site: { origin: `http://localhost:${String(port)}` },
  listen: { site: `127.0.0.1:${String(port)}`, admin: `127.0.0.1:${String(adminPort)}` },
  store: { folder: store },
  admin: {
    tokens: [
      {
        name: "development",
        hash,
        sections: ["*"],
        actions: ["publish", "deploy", "rollback", "preview", "garbage_collect", "purge"],
      },
    ],
  },
  ...signupConfig(backend.url),
  // The API of `make example`. Nothing uses it unless the example is deployed.
  ...eventsUpstream(`http://127.0.0.1:${String(eventsPort)}`),
});
const gateway = await startGateway(config, { log: printWarning }).catch(fail);
if (!gateway) process.exit(1);

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  await gateway?.stop();
  await backend?.close();
}
process.on("SIGINT", () => void stop());
process.on("SIGTERM", () => void stop());
void gateway.exited.then(async (code) => {
  await backend.close();
  if (!stopping) console.error(`the gateway exited with code ${String(code)}`);
  process.exit(stopping ? 0 : 1);
});

try {
  const { deployment, isNew } = await deployPackages({ url: gateway.admin, token });
  console.log(
    `${isNew ? "deployed" : "unchanged"}: deployment ${String(deployment.number)}\n\n` +
      `  site      http://localhost:${String(port)}\n` +
      `  admin     ${gateway.admin}\n` +
      `  backend   ${backend.url} (sign-up, and the development partner)\n\n` +
      `To publish and deploy a section here:\n\n` +
      `  export COLONNADE_ADMIN=${gateway.admin} COLONNADE_TOKEN=$(cat ${path.relative(process.cwd(), tokenFile)})\n\n` +
      `Press Ctrl-C to stop.`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
  await stop();
}

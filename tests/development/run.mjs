// Runs the site for development: starts a sign-up backend and the gateway, then publishes and deploys the five
// releases. PORT, ADMIN_PORT, BACKEND_PORT, EVENTS_PORT (of the API of `make example`) and STORE override the defaults.
import { existsSync, readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";

import { startBackend } from "../backend/server.mjs";
import { BACKEND_KEY, ROOT_FILES, signupConfig } from "../support/config.mjs";
import { eventsUpstream } from "../support/events-api.mjs";
import { PACKAGES, ROOT } from "../support/repository.mjs";
import { portFrom } from "./ports.mjs";
import { fail, serve } from "./serve.mjs";

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

const backend = await startBackend({ port: portFrom("BACKEND_PORT", 9100), key: BACKEND_KEY }).catch(fail);
await serve({
  port: portFrom("PORT", 8080),
  adminPort: portFrom("ADMIN_PORT", 9090),
  store,
  packages: PACKAGES,
  config: {
    ...ROOT_FILES,
    ...signupConfig(backend.url, { name: "the test service on this computer" }),
    // The API of `make example`. Nothing uses it unless the example is deployed.
    ...eventsUpstream(`http://127.0.0.1:${String(eventsPort)}`),
  },
  more: `  backend   ${backend.url} (sign-up, and the development partner)\n`,
  close: () => backend.close(),
});

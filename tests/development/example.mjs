// Runs the example in examples/events on the site of `make run`: starts its API, then builds, publishes and deploys its section.
// PORT, ADMIN_PORT and EVENTS_PORT are those of `make run`.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { build, deploy, publish } from "@colonnade/cli";

import { EVENTS, startEventsApi } from "../support/events-api.mjs";
import { ROOT } from "../support/repository.mjs";
import { portFrom } from "./ports.mjs";

const port = portFrom("PORT", 8080);
const admin = `http://127.0.0.1:${String(portFrom("ADMIN_PORT", 9090))}`;
const eventsPort = portFrom("EVENTS_PORT", 9200);
const site = `http://localhost:${String(port)}`;
// `make run` puts its token here.
const folder = path.join(ROOT, ".run", String(port));

/** @param {unknown} error @returns {never} */
function fail(error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const isReady = await fetch(`${admin}/readyz`).then(
  ({ ok }) => ok,
  () => false,
);
if (!isReady)
  fail(
    `There is no site on ${site}. Run \`make run\` in another terminal and wait for its URL, then run make example again.`,
  );
const token = await readFile(path.join(folder, "token"), "utf8").catch(() =>
  fail(`The site on ${site} does not belong to this folder: start it here with \`make run\`.`),
);
const access = { url: admin, token: token.trim() };

const api = await startEventsApi({
  port: eventsPort,
  log: (line) => {
    console.log(line);
  },
}).catch(fail);
// For the tour in the example's README, which stops the API for a while.
await writeFile(path.join(folder, "events.pid"), `${String(api.pid)}\n`);

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    stopping = true;
    void api.stop();
  });
void api.exited.then((code) => {
  if (!stopping) fail(`the events API exited with code ${String(code)}`);
  console.log(
    "\nThe API has stopped. The section stays deployed and says that its events are unavailable. To remove it:\n\n" +
      `  export COLONNADE_ADMIN=${admin} COLONNADE_TOKEN=$(cat ${path.relative(process.cwd(), folder)}/token)\n` +
      "  npx --no colonnade deploy --remove events",
  );
  process.exit(0);
});

try {
  const { release } = await build(EVENTS, { final: false });
  await publish(EVENTS, access);
  const { deployment, isNew } = await deploy({ [release.name]: release.version }, { reason: "make example" }, access);
  console.log(
    `${isNew ? "deployed" : "unchanged"}: deployment ${String(deployment.number)} with ${release.name}@${release.version}\n\n` +
      `  events    ${site}/events\n` +
      `  API       ${api.url} (below ${site}/api/events; its requests follow)\n\n` +
      `Press Ctrl-C to stop the API.\n`,
  );
} catch (error) {
  stopping = true;
  console.error(error instanceof Error ? error.message : String(error));
  await api.stop();
  process.exit(1);
}

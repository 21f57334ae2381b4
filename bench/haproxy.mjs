// Starts HAProxy with the configuration of docs/operate/several-gateways.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { ROOT } from "../tests/support/repository.mjs";
import { freePort, waitUntilListening } from "./servers.mjs";

/**
 * Starts HAProxy in front of the site listeners of three gateways.
 *
 * @param {string[]} addresses
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startHaproxy(addresses) {
  const guide = await readFile(path.join(ROOT, "docs/operate/several-gateways.md"), "utf8");
  const [, example] = /```\w+ \[haproxy\.cfg\]\n(.*?)```/s.exec(guide) ?? [];
  if (example === undefined) throw new Error("docs/operate/several-gateways.md has no block with the name haproxy.cfg");
  const port = await freePort();
  let config = example.replace("bind :80\n", `bind 127.0.0.1:${port}\n`);
  for (const [index, address] of addresses.entries()) config = config.replace(`10.0.0.1${index + 1}:8080`, address);
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-haproxy-"));
  const file = path.join(folder, "haproxy.cfg");
  await writeFile(file, config);
  const child = spawn("haproxy", ["-db", "-q", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  child.on("error", (error) => {
    throw new Error(`haproxy failed to start (${error.message}); install HAProxy 2.6 or newer`);
  });
  const exited = once(child, "exit");
  await waitUntilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

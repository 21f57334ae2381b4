// Starts the S3 server of the gateway's tests.
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

import { GATEWAY_BINARY } from "../tests/support/repository.mjs";

const SERVER = path.join(path.dirname(GATEWAY_BINARY), "examples/s3_server");
/** The only credentials that the server knows, for the environment of gateways. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: "AKIDFORTESTS", AWS_SECRET_ACCESS_KEY: "the-secret-of-the-access-key" };

/**
 * A running object store.
 *
 * @typedef {object} ObjectStore
 * @property {{ url: string, endpoint: string }} settings keys of `[store]`
 * @property {(isAway: boolean) => void} setAway closes connections without a response from now on, or not any more
 * @property {() => Promise<number>} countRequests the number of requests so far
 * @property {() => void} stop
 */

/** @param {number} latency milliseconds before each response @returns {Promise<ObjectStore>} */
export async function startObjectStore(latency) {
  const child = spawn(SERVER, [String(latency)], { stdio: ["pipe", "pipe", "inherit"] });
  const failed = new Promise((_, reject) => {
    child.on("error", (error) => {
      reject(new Error(`${SERVER} failed to start (${error.message}); build it first: see bench/README.md`));
    });
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readLine = async () => String((await Promise.race([lines.next(), failed])).value);
  return {
    settings: { url: "s3://releases/site", endpoint: await readLine() },
    setAway: (isAway) => child.stdin.write(isAway ? "away\n" : "back\n"),
    async countRequests() {
      child.stdin.write("requests\n");
      return Number(await readLine());
    },
    stop: () => child.stdin.end(),
  };
}

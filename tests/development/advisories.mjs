// Checks the crates against the RustSec advisory database. If the database is unreachable, prints a warning and
// succeeds, because the build must not depend on the network.
import { spawnSync } from "node:child_process";

const DATABASE = "https://github.com/RustSec/advisory-db";

// Timeouts in milliseconds for reaching the server and for fetching the database.
const CONNECT_TIMEOUT = 3_000;
const FETCH_TIMEOUT = 60_000;

/** @param {string} program @param {string[]} options @param {number} [timeout] */
function run(program, options, timeout) {
  // Fail instead of prompting for a password.
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  return spawnSync(program, options, { encoding: "utf8", env, timeout, killSignal: "SIGKILL" });
}

/** @param {ReturnType<typeof run>} outcome */
function reasonOf({ error, stderr }) {
  if (error) return "code" in error && error.code === "ETIMEDOUT" ? "timed out" : error.message;
  return stderr.trim().split("\n").at(-1);
}

/** @param {string} reason @returns {never} */
function skip(reason) {
  console.warn(`ADVISORIES NOT CHECKED: ${reason}.`);
  process.exit(0);
}

if (run("cargo", ["deny", "--version"]).status !== 0) skip("cargo-deny is not installed");
const reached = run("git", ["ls-remote", DATABASE, "HEAD"], CONNECT_TIMEOUT);
if (reached.status !== 0) skip(`${DATABASE} is unreachable (${reasonOf(reached)})`);
const fetched = run("cargo", ["deny", "fetch", "db"], FETCH_TIMEOUT);
if (fetched.status !== 0) skip(`${DATABASE} could not be fetched (${reasonOf(fetched)})`);
const check = ["deny", "check", "advisories"];
process.exit(spawnSync("cargo", check, { stdio: "inherit" }).status ?? 1);

// Checks the crates against the advisories of RustSec, where their database can be had. Where it cannot, that is said, and
// nothing fails: what is built here must not depend on the network.
import { spawnSync } from "node:child_process";

const DATABASE = "https://github.com/RustSec/advisory-db";

// How long its server may take to answer at all, and how long fetching may take when it does; in milliseconds.
const ANSWER = 3_000;
const FETCH = 60_000;

/** @param {string} program @param {string[]} options @param {number} [timeout] */
function run(program, options, timeout) {
  // A server that wants a password has no such database.
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  return spawnSync(program, options, { encoding: "utf8", env, timeout, killSignal: "SIGKILL" });
}

/** @param {ReturnType<typeof run>} outcome */
function why({ error, stderr }) {
  if (error) return "code" in error && error.code === "ETIMEDOUT" ? "no answer in time" : error.message;
  return stderr.trim().split("\n").at(-1);
}

/** @param {string} reason @returns {never} */
function skip(reason) {
  console.warn(`ADVISORIES WERE NOT CHECKED: ${reason}.`);
  process.exit(0);
}

if (run("cargo", ["deny", "--version"]).status !== 0) skip("cargo-deny is not installed");
const reached = run("git", ["ls-remote", DATABASE, "HEAD"], ANSWER);
if (reached.status !== 0) skip(`${DATABASE} cannot be reached (${why(reached)})`);
const fetched = run("cargo", ["deny", "fetch", "db"], FETCH);
if (fetched.status !== 0) skip(`${DATABASE} cannot be fetched (${why(fetched)})`);
const check = ["deny", "--all-features", "check", "advisories"];
process.exit(spawnSync("cargo", check, { stdio: "inherit" }).status ?? 1);

// Checks what differs from the merge base with main: formatters, Clippy and types, and the unit and component tests of
// what has changed. `make test` checks everything.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../support/repository.mjs";

/** @param {string[]} args */
const git = (...args) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function mergeBase() {
  for (const branch of ["origin/main", "main"])
    try {
      return git("merge-base", "HEAD", branch).trim();
    } catch {
      // This clone does not have the branch.
    }
  return "HEAD";
}

/** @param {string} base */
function changedFiles(base) {
  const changed = git("diff", "--name-only", "-z", base);
  const untracked = git("ls-files", "--others", "--exclude-standard", "-z");
  const names = [...changed.split("\0"), ...untracked.split("\0")].filter((name) => name !== "");
  return [...new Set(names)].filter((name) => existsSync(path.join(ROOT, name)));
}

/** @type {string[]} */
const times = [];

/** Runs a command, and exits if it fails. @param {string} what @param {string} command @param {string[]} args */
function run(what, command, ...args) {
  const start = performance.now();
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  times.push(`${what} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (status === 0) return;
  console.error(`make check: failed: ${what}`);
  process.exit(1);
}

/** Clippy compiles the tested code. Unlike the black-box tests, unit tests need few seconds. @param {string[]} files */
function checkRust(files) {
  const crates = new Set(files.map((file) => /^gateway\/crates\/([^/]+)\//.exec(file)?.[1]).filter(Boolean));
  const blackBox = files.map((file) => /^gateway\/tests\/(\w+)\.rs$/.exec(file)?.[1]).filter(Boolean);
  const filters = [...crates].map((name) => `package(=colonnade-${name ?? ""})`);
  if (files.some((file) => file.startsWith("gateway/src/"))) filters.push("(package(=gateway) & !binary(black_box))");
  for (const name of blackBox) filters.push(`(binary(black_box) & test(/^${name ?? ""}::/))`);
  const hasBlackBox = files.some((file) => file.startsWith("gateway/tests/"));
  const targets = hasBlackBox ? ["--all-targets"] : ["--lib", "--bins", "--test", "[!b]*"];
  run("cargo fmt", "cargo", "fmt", "--check");
  const options = ["--locked", "--workspace", ...targets, "--no-tests", "pass", "--status-level", "fail"];
  run("Clippy and Rust tests", "cargo", "nextest", "run", ...options, "-E", filters.join(" + ") || "none()");
}

/** @param {string[]} files @param {string} base */
function checkWeb(files, base) {
  const linted = files.filter((file) => /\.(?:[jt]sx?|mjs)$/.test(file));
  run("types", process.execPath, "node_modules/typescript-7/bin/tsc", "--build");
  if (linted.length > 0) {
    // All files would take most of the time.
    run("Oxlint", "npx", "--no", "--", "oxlint", "--deny-warnings", "--no-error-on-unmatched-pattern", ...linted);
    run("ESLint", "npx", "--no", "--", "eslint", "--max-warnings", "0", "--no-warn-ignored", ...linted);
  }
  run("Vitest", "npx", "--no", "--", "vitest", "run", "--changed", base, "--passWithNoTests", "--reporter", "dot");
}

const base = mergeBase();
const files = changedFiles(base);
const rust = files.filter((file) => /\.rs$|(?:^|\/)Cargo\.(?:toml|lock)$/.test(file));
const web = files.filter((file) => /\.(?:[jt]sx?|mjs|css|mdx?|json)$/.test(file));
if (files.length > 0)
  run("Prettier", "npx", "--no", "--", "prettier", "--check", "--ignore-unknown", "--log-level", "warn", ...files);
if (rust.length > 0) checkRust(rust);
if (web.length > 0) checkWeb(web, base);
console.log(`make check: ${String(files.length)} changed files; ${times.join(", ")}`);

// Makes sure that there is a Chromium for the browser's tests: one that is here, Debian's package, or
// Playwright's own, in this order.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

import { chromium } from "@playwright/test";

import { findChromium } from "../support/chromium.mjs";

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "inherit", env }).status === 0;
}

function isThere() {
  return findChromium() !== undefined || existsSync(chromium.executablePath());
}

function installDebian() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/usr/bin/apt-get")) return;
  if (run("apt-get", "update", "--quiet"))
    run("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "chromium-headless-shell");
}

if (!isThere()) installDebian();
if (!isThere()) run("npx", "playwright", "install", "--only-shell", "chromium");
if (!isThere()) {
  console.error(
    "No Chromium was found, and none could be installed. Install it as root with\n\n" +
      "  apt-get install chromium-headless-shell\n\n" +
      "or set CHROMIUM_PATH to one that is installed.",
  );
  process.exit(1);
}

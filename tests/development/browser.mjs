// Ensures that the browser tests have a Chromium: an installed one, otherwise Debian's package, otherwise Playwright's.
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

function isInstalled() {
  return findChromium() !== undefined || existsSync(chromium.executablePath());
}

function installDebianPackage() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/usr/bin/apt-get")) return;
  if (run("apt-get", "update", "--quiet"))
    run("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "chromium-headless-shell");
}

if (!isInstalled()) installDebianPackage();
if (!isInstalled()) run("npx", "--no", "--", "playwright", "install", "--only-shell", "chromium");
if (!isInstalled()) {
  console.error(
    "No Chromium was found, and installing one failed. Install it as root with\n\n" +
      "  apt-get install chromium-headless-shell\n\n" +
      "or set CHROMIUM_PATH to an installed Chromium.",
  );
  process.exit(1);
}

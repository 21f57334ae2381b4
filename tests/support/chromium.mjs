import { accessSync, constants } from "node:fs";

// The headless shell comes first: the same engine at little more than half the CPU time.
const PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of the installed Chromium: `CHROMIUM_PATH` or a distribution's path. */
export function findChromium() {
  const { CHROMIUM_PATH: configured } = process.env;
  if (configured) return configured;
  return PATHS.find(isExecutable);
}

// The browser connects only to the site under test.
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Playwright's launch options: the installed Chromium, otherwise Playwright's own. */
export function launchOptions() {
  const executablePath = findChromium();
  return { args: SWITCHES, ...(executablePath && { executablePath }) };
}

import { accessSync, constants } from "node:fs";

// The headless shell first: the same engine without a browser's windows, for a bit over half the CPU time of a test.
const PLACES = [
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

/** The Chromium of this machine: `CHROMIUM_PATH`, or where distributions put it. Undefined: none is there. */
export function findChromium() {
  const { CHROMIUM_PATH: configured } = process.env;
  if (configured) return configured;
  return PLACES.find(isExecutable);
}

// It talks to nobody but the site under test.
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What Playwright is to launch: the Chromium of this machine, or its own where there is none. */
export function launchOptions() {
  const executablePath = findChromium();
  return { args: SWITCHES, ...(executablePath && { executablePath }) };
}

import { accessSync, constants } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

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

/** Switches for a Chromium that talks to nobody but the site under test. */
export const CHROMIUM_SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

import { spawn } from "node:child_process";
import { once } from "node:events";

import type { ProcessContext } from "./context.js";

/**
 * Opens a URL in the default browser. Returns false if there is no terminal, no desktop or no program to do so. The
 * npm package `open` would add about ten packages for this.
 */
export async function openInBrowser(url: string, { stdout, environment }: ProcessContext): Promise<boolean> {
  if (!stdout.isTTY || !hasDesktop(environment)) return false;
  // The URL comes from the gateway; another scheme could start another program.
  if (!/^https?:/.test(url)) return false;
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore", env: environment });
  child.unref();
  return once(child, "spawn").then(
    () => true,
    () => false,
  );
}

type Command = readonly [name: string, ...args: string[]];

const OPENERS: Partial<Record<NodeJS.Platform, Command>> = {
  darwin: ["open"],
  // Unlike `start`, it does not parse the URL as a command line.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

function hasDesktop({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): boolean {
  return process.platform === "darwin" || process.platform === "win32" || [DISPLAY, WAYLAND_DISPLAY].some(Boolean);
}

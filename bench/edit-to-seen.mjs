// Measures the time from an edit of a section until `colonnade dev` shows it. See bench/README.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "@playwright/test";

import { launchOptions } from "../tests/support/chromium.mjs";
import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./report.mjs";

const EDITS = 20;
const COMMAND = path.join(ROOT, "kit/bin/colonnade.js");

/**
 * A page, and a text to replace in the file that renders it.
 *
 * @typedef {{ name: string, path: string, file: string, text: string }} EditedPage
 */

/** @type {EditedPage[]} */
const PAGES = [
  { name: "articles", path: "/about-escort-babylon", file: "src/pages/hub.tsx", text: "<h1" },
  { name: "directory", path: "/", file: "src/components/home/Hero.tsx", text: "<h1" },
];

/**
 * Starts the command. Returns its URL and its process.
 *
 * @param {string} folder
 * @param {string} site
 */
async function startCommand(folder, site) {
  const child = spawn(process.execPath, [COMMAND, "dev", "--site", site, "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface(child.stdout);
  for (;;) {
    const [line] = await once(lines, "line");
    const [, url] = /^(http:\S+) serves /.exec(line) ?? [];
    // The URL is that of a page.
    if (url) return { url: new URL(url).origin, child };
  }
}

/**
 * Edits a page and waits until the browser shows it. Returns the times in milliseconds.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} file
 * @param {string} text
 */
async function measure(page, file, text) {
  const source = await readFile(file, "utf8");
  const times = [];
  for (let edit = 1; edit <= EDITS; edit += 1) {
    const startedAt = performance.now();
    await writeFile(file, source.replace(text, `<h1 data-edit="${edit}"`));
    await page.waitForSelector(`h1[data-edit="${edit}"]`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

const site = await startSite();
const browser = await chromium.launch(launchOptions());
const parent = await mkdtemp(path.join(os.tmpdir(), "colonnade-bench-"));
try {
  await symlink(path.join(ROOT, "node_modules"), path.join(parent, "node_modules"));
  printRow(["edit until seen", "median", "worst"]);
  for (const { name, path: pagePath, file, text } of PAGES) {
    const folder = path.join(parent, name);
    await cp(path.join(ROOT, `mfe-${name}`), folder, {
      recursive: true,
      filter: (source) => !/[/\\](node_modules|release|tsconfig\.json)$/.test(source),
    });
    const { url, child } = await startCommand(folder, site.url);
    const page = await browser.newPage();
    await page.goto(url + pagePath);
    const times = await measure(page, path.join(folder, file), text);
    printRow([name, `${median(times).toFixed()} ms`, `${Math.max(...times).toFixed()} ms`]);
    await page.close();
    const exited = once(child, "exit");
    child.kill();
    await exited;
  }
} finally {
  await browser.close();
  await site.stop();
  await rm(parent, { recursive: true, force: true });
}

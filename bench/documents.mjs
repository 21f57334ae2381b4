// Cached documents a second, next to the same bytes as a file of a release: bench/README.md.
import http from "node:http";
import { buffer } from "node:stream/consumers";

import { startSite } from "../tests/support/site.mjs";
import { median, printRow } from "./figures.mjs";
import { deployFixture } from "./fixture.mjs";
import { loadFor } from "./load.mjs";

const PAGES = { "home.html": "/", "california.html": "/state/California" };
const CODINGS = ["identity", "br"];
const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const SECONDS = 3;

/** @param {string} url @param {string} coding @returns {Promise<Buffer>} what is sent, as it is sent */
async function readRaw(url, coding) {
  /** @type {http.IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    http.get(url, { headers: { "accept-encoding": coding }, agent: false }, resolve).on("error", reject);
  });
  const { "content-encoding": sent = "identity" } = response.headers;
  if (response.statusCode !== 200 || sent !== coding)
    throw new Error(`${url} answered ${response.statusCode}, ${sent} where ${coding} was asked for`);
  return buffer(response);
}

/** @param {string} url @param {string} coding @returns {Promise<number>} requests a second */
async function measure(url, coding) {
  const { pathname, origin } = new URL(url);
  const { perSecond, failed } = await loadFor(SECONDS, origin, [pathname], { "accept-encoding": coding });
  if (failed > 0) throw new Error(`${failed} requests for ${url} failed`);
  return perSecond;
}

const site = await startSite({ rendered: true });
try {
  /** @type {Record<string, import("./fixture.mjs").File>} */
  const files = {};
  for (const [name, page] of Object.entries(PAGES)) {
    files[name] = { type: "text/html; charset=utf-8", bytes: await readRaw(site.url + page, "identity") };
  }
  const folder = await deployFixture(site.access, { name: "twin", files });
  const cases = Object.entries(PAGES).flatMap(([name, page]) =>
    CODINGS.map((coding) => ({
      what: `${page}, ${coding}`,
      coding,
      document: { url: site.url + page, rates: /** @type {number[]} */ ([]) },
      file: { url: site.url + folder + name, rates: /** @type {number[]} */ ([]) },
    })),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { coding, document, file } of cases) {
      // Whichever comes second has it a little warmer, so they take turns.
      for (const one of round % 2 === 0 ? [document, file] : [file, document])
        one.rates.push(await measure(one.url, coding));
    }
  }
  console.log(`Requests a second, medians of ${ROUNDS} rounds of ${SECONDS} s\n`);
  printRow(["", "bytes", "document", "file", "ratio"]);
  for (const { what, coding, document, file } of cases) {
    const [bytes, fileBytes] = await Promise.all([document.url, file.url].map((url) => readRaw(url, coding)));
    // They differ in the deployment's number alone.
    // Files are compressed for longer than documents, which somebody waits for.
    if (Math.abs(Number(bytes?.length) / Number(fileBytes?.length) - 1) > 0.2)
      throw new Error(`${what} differ in size`);
    const [ours, theirs] = [median(document.rates), median(file.rates)];
    printRow([what, String(bytes?.length), ours.toFixed(0), theirs.toFixed(0), (ours / theirs).toFixed(2)]);
  }
} finally {
  await site.stop();
}

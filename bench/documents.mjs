// Compares the throughput of cached documents and static files with the same bytes. See bench/README.md.
import { startSite } from "../tests/support/site.mjs";
import { median, printRow, readRaw } from "./report.mjs";
import { deployFixtureSection } from "./fixture-section.mjs";
import { loadFor } from "./load.mjs";

const PAGES = { "home.html": "/", "california.html": "/state/California" };
const CODINGS = ["identity", "br"];
const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const SECONDS = 3;

/** @param {string} url @param {string} coding @returns {Promise<number>} requests per second */
async function measure(url, coding) {
  const { pathname, origin } = new URL(url);
  const { perSecond, failed } = await loadFor(SECONDS, origin, [pathname], { "accept-encoding": coding });
  if (failed > 0) throw new Error(`${failed} requests for ${url} failed`);
  return perSecond;
}

const site = await startSite({ serverRendering: true });
try {
  /** @type {Record<string, import("./fixture-section.mjs").File>} */
  const files = {};
  for (const [name, page] of Object.entries(PAGES)) {
    files[name] = { type: "text/html; charset=utf-8", bytes: (await readRaw(site.url + page, "identity")).body };
  }
  const folder = await deployFixtureSection(site.access, { name: "twin", files });
  const cases = Object.entries(PAGES).flatMap(([name, page]) =>
    CODINGS.map((coding) => ({
      label: `${page}, ${coding}`,
      coding,
      document: { url: site.url + page, rates: /** @type {number[]} */ ([]) },
      file: { url: site.url + folder + name, rates: /** @type {number[]} */ ([]) },
    })),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { coding, document, file } of cases) {
      // Alternate the order: the second measurement benefits from warm caches.
      for (const target of round % 2 === 0 ? [document, file] : [file, document])
        target.rates.push(await measure(target.url, coding));
    }
  }
  console.log(`Requests per second, medians of ${ROUNDS} rounds of ${SECONDS} s\n`);
  printRow(["", "bytes", "document", "file", "ratio"]);
  for (const { label, coding, document, file } of cases) {
    const { body: bytes } = await readRaw(document.url, coding);
    const { body: fileBytes } = await readRaw(file.url, coding);
    // Files are compressed at a higher level than documents.
    if (Math.abs(bytes.length / fileBytes.length - 1) > 0.2)
      throw new Error(`${label}: the sizes of document and file differ by more than 20%`);
    const [documentRate, fileRate] = [median(document.rates), median(file.rates)];
    printRow([
      label,
      String(bytes.length),
      documentRate.toFixed(0),
      fileRate.toFixed(0),
      (documentRate / fileRate).toFixed(2),
    ]);
  }
} finally {
  await site.stop();
}

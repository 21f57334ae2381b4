// What pages weigh on the wire, as a browser fetches them.
/* global document -- within the page */
import { brotliCompressSync } from "node:zlib";

/**
 * What was fetched, in bytes of bodies as they were sent, but for the number of requests.
 *
 * @typedef {object} Weight
 * @property {number} requests all of them
 * @property {number} document the HTML, with the stylesheets written into it
 * @property {number} script
 * @property {number} stylesheet stylesheets besides
 * @property {number} inlined stylesheets in the document, were they sent by themselves
 * @property {number} image
 * @property {number} font
 * @property {number} largestFont the largest single one of them
 * @property {number} other answers to scripts
 */

const MEASURED = /** @type {const} */ (["document", "script", "stylesheet", "image", "font"]);

/** Bytes below which compression is not worth trying. */
const SMALL = 1024;

/**
 * Collects what a page fetches from here on.
 *
 * @param {import("@playwright/test").Page} page
 */
function collect(page) {
  /** @type {import("@playwright/test").Request[]} */
  const requests = [];
  /** @param {import("@playwright/test").Request} request */
  const keep = (request) => void requests.push(request);
  /** @param {import("@playwright/test").Request} request */
  const fail = (request) => {
    throw new Error(`${request.url()} failed: ${request.failure()?.errorText}`);
  };
  page.on("request", keep);
  page.on("requestfailed", fail);
  return {
    requests,
    end() {
      page.off("request", keep);
      page.off("requestfailed", fail);
    },
  };
}

/**
 * @param {readonly import("@playwright/test").Request[]} requests
 * @returns {Promise<Weight>}
 */
async function sum(requests) {
  /** @type {Weight} */
  const weight = {
    requests: requests.length,
    document: 0,
    script: 0,
    stylesheet: 0,
    inlined: 0,
    image: 0,
    font: 0,
    largestFont: 0,
    other: 0,
  };
  for (const request of requests) {
    const response = await request.response();
    await response?.finished();
    const size = (await request.sizes()).responseBodySize;
    const type = MEASURED.find((known) => known === request.resourceType()) ?? "other";
    weight[type] += size;
    if (type === "font") weight.largestFont = Math.max(weight.largestFont, size);
    const coding = await response?.headerValue("content-encoding");
    if (["document", "script", "stylesheet"].includes(type) && coding !== "br" && size > SMALL)
      throw new Error(`${request.url()} came as ${coding ?? "it is"}; expected Brotli`);
  }
  return weight;
}

/**
 * Loads a page into an empty cache, and hands it over with what it took until it was there and the network quiet.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 */
export async function loadFirstView(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  // What is fetched when the browser is idle, the join dialog, is no part of the first view.
  await page.addInitScript("globalThis.requestIdleCallback = () => 0");
  const { requests, end } = collect(page);
  await page.goto(url, { waitUntil: "networkidle" });
  await page.locator("main h1").waitFor();
  end();
  const heading = await page.locator("main h1").innerText();
  if (heading.includes("unavailable")) throw new Error(`${url} shows "${heading}"`);
  const styles = await page.locator("head style").evaluateAll((all) => all.map((style) => style.textContent).join(""));
  const weight = await sum(requests);
  weight.inlined = styles === "" ? 0 : brotliCompressSync(styles).length;
  return { page, weight };
}

/**
 * Follows a link within a page, and says what that took until the page was there: its code, stylesheets, data and
 * pictures, those that would come only when they are in sight, too.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} path
 * @param {string} [last] selector of what the page draws last
 * @returns {Promise<Weight>}
 */
export async function weighNext(page, path, last = "main h1") {
  const { requests, end } = collect(page);
  const before = await page.locator("main h1").innerText();
  await page.evaluate((href) => {
    const link = document.createElement("a");
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await page.waitForFunction((heading) => {
    const shown = /** @type {HTMLElement | null} */ (document.querySelector("main h1"));
    return shown !== null && shown.innerText !== heading;
  }, before);
  await page.locator(last).first().waitFor();
  await page.evaluate(() => {
    for (const picture of document.images) picture.loading = "eager";
    return Promise.all([...document.images].map((picture) => picture.decode()));
  });
  end();
  if (requests.some((request) => request.resourceType() === "document"))
    throw new Error(`${path} came as a new document; expected the shell to follow the link`);
  return sum(requests);
}

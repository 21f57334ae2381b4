// Measures the transfer size of pages in a browser.
/* global document -- runs in the page */
import { brotliCompressSync } from "node:zlib";

/**
 * Encoded response body sizes in bytes, and the number of requests.
 *
 * @typedef {object} Weight
 * @property {number} requests
 * @property {number} document the HTML, including inlined stylesheets
 * @property {number} script
 * @property {number} stylesheet external stylesheets
 * @property {number} inlined inlined stylesheets, compressed on their own
 * @property {number} image
 * @property {number} font
 * @property {number} largestFont the largest font
 * @property {number} other `fetch` responses
 * @property {number} extension what shows the extensions of the page, and their scripts and stylesheets. It loads after its own.
 */

const MEASURED = /** @type {const} */ (["document", "script", "stylesheet", "image", "font"]);

/** Responses up to this size need no compression. */
const MIN_COMPRESSED_SIZE = 1024;

/**
 * Collects the page's requests from now on.
 *
 * @param {import("@playwright/test").Page} page
 */
function collect(page) {
  /** @type {import("@playwright/test").Request[]} */
  const requests = [];
  /** @param {import("@playwright/test").Request} request */
  const add = (request) => void requests.push(request);
  /** @param {import("@playwright/test").Request} request */
  const fail = (request) => {
    throw new Error(`${request.url()} failed: ${request.failure()?.errorText}`);
  };
  page.on("request", add);
  page.on("requestfailed", fail);
  return {
    requests,
    end() {
      page.off("request", add);
      page.off("requestfailed", fail);
    },
  };
}

/**
 * The sections that extend a page: those in the boot payload of a document, or in the page that a navigation resolves.
 *
 * @param {{ readonly extensions?: Readonly<Record<string, readonly { readonly section: { readonly name: string } }[]>> } | null} page
 * @returns {ReadonlySet<string>}
 */
function extending(page) {
  return new Set(Object.values(page?.extensions ?? {}).flatMap((all) => all.map(({ section }) => section.name)));
}

/**
 * @param {readonly import("@playwright/test").Request[]} requests
 * @param {ReadonlySet<string>} extensions names of the sections that extend the page
 * @param {string} html the document, if it is among the requests: it names the shell's first scripts
 * @returns {Promise<Weight>}
 */
async function sum(requests, extensions, html = "") {
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
    extension: 0,
  };
  for (const request of requests) {
    const response = await request.response();
    await response?.finished();
    const size = (await request.sizes()).responseBodySize;
    const type = MEASURED.find((known) => known === request.resourceType()) ?? "other";
    const section = /^\/assets\/([^/]+)\//.exec(new URL(request.url()).pathname)?.[1] ?? "";
    const isLater = section === "shell" && !html.includes(new URL(request.url()).pathname) && extensions.size > 0;
    weight[extensions.has(section) || isLater ? "extension" : type] += size;
    if (type === "font") weight.largestFont = Math.max(weight.largestFont, size);
    const coding = await response?.headerValue("content-encoding");
    if (["document", "script", "stylesheet"].includes(type) && coding !== "br" && size > MIN_COMPRESSED_SIZE)
      throw new Error(`${request.url()} has content-encoding ${coding ?? "identity"}; expected br`);
  }
  return weight;
}

/**
 * Loads a page with an empty cache and measures every request until the network is idle. The page stays open.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 */
export async function loadFirstView(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  // The join dialog, which loads when the browser is idle, is not part of the first view.
  await page.addInitScript("globalThis.requestIdleCallback = () => 0");
  const { requests, end } = collect(page);
  const response = await page.goto(url, { waitUntil: "networkidle" });
  await page.locator("main h1").waitFor();
  end();
  const heading = await page.locator("main h1").innerText();
  if (heading.includes("unavailable")) throw new Error(`${url} shows "${heading}"`);
  const styles = await page.locator("head style").evaluateAll((all) => all.map((style) => style.textContent).join(""));
  const boot = await page.locator("script#boot").last().textContent();
  const html = (await response?.text()) ?? "";
  const weight = await sum(requests, extending(JSON.parse(boot ?? "{}").page), html);
  weight.inlined = styles === "" ? 0 : brotliCompressSync(styles).length;
  return { page, weight };
}

/**
 * Measures a client-side navigation: code, stylesheets, data and pictures, including those that load lazily.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} path
 * @param {string} [last] selector of the element that renders last
 * @returns {Promise<Weight>}
 */
export async function measureNavigation(page, path, last = "main h1") {
  const { requests, end } = collect(page);
  const before = await page.locator("main h1").innerText();
  // Once the shell handles links.
  await page.locator("html[data-first-view-rendered]").evaluate((_, href) => {
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
    throw new Error(`${path} loaded a new document; expected a client-side navigation`);
  const resolved = requests.find((request) => new URL(request.url()).pathname.startsWith("/_page/"));
  return sum(requests, extending((await (await resolved?.response())?.json()) ?? null));
}

// Shared by the benchmarks: medians, ratios, table rows, and reading responses.
import http from "node:http";
import { buffer } from "node:stream/consumers";

/** Returns a quantile: the median for a share of 0.5. @param {number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place % 1);
}

/** @param {number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * Returns the first quartile, the median and the third quartile of the ratios of each round.
 *
 * @param {number[]} first
 * @param {number[]} second
 */
export function ratioQuartiles(first, second) {
  const ratios = first.map((value, round) => value / Number(second[round]));
  return [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
}

/** Prints a table row: a label and its values. @param {string[]} cells */
export function printRow([first = "", ...rest]) {
  console.log([first.padEnd(44), ...rest.map((cell) => cell.padStart(12))].join(""));
}

/**
 * Fetches a document and parses its boot payload.
 *
 * @param {string} url
 * @returns {Promise<{ html: string, boot: any, headers: Headers }>}
 */
export async function readDocument(url) {
  const response = await fetch(url);
  const html = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}; expected a success status`);
  const [, json = "null"] = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html) ?? [];
  return { html, boot: JSON.parse(json), headers: response.headers };
}

/** Returns the URL paths of the assets in a document, each once. @param {string} html */
export const assetsOf = (html) => [...new Set(html.match(/\/assets\/[^")]+/g))];

/**
 * Fetches a compressed response without decompressing it.
 *
 * @param {string} url
 * @param {string} coding
 * @returns {Promise<{ headers: http.IncomingHttpHeaders, body: Buffer }>}
 */
export async function readRaw(url, coding) {
  /** @type {http.IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    http.get(url, { headers: { "accept-encoding": coding }, agent: false }, resolve).on("error", reject);
  });
  const { "content-encoding": received = "identity" } = response.headers;
  if (response.statusCode !== 200 || received !== coding)
    throw new Error(`${url} returned ${response.statusCode} with encoding ${received}; expected 200 with ${coding}`);
  return { headers: response.headers, body: await buffer(response) };
}

// Shared by the benchmarks: medians, table rows, and reading a document's boot payload.

/** Returns a quantile: the median for a share of 0.5. @param {number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place % 1);
}

/** @param {number[]} values */
export const median = (values) => quantile(values, 0.5);

/** Returns the first quartile, the median and the third quartile. @param {number[]} values */
export const quartiles = (values) => [0.25, 0.5, 0.75].map((share) => quantile(values, share));

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
